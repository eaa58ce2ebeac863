// SPDX-License-Identifier: MIT
// One bay and the drive in it: the verdict with its reason and limit, the four links side by side with where each
// value is from, the raw values, wear, health, identity, and history from the store.

import {h, s, card, said, dl, copy, known, BAD, link, rate, gbs, tb, whole, percent, day, month, clock, shortDay, ago, bayUrl, hostUrl, readAgo, age, secondsSince, plural} from './dom.js'
import {mark, state, lanes, ceilingBar, chart, fit, follows, gapsIn, notice, crumbs} from './parts.js'
import {baysOf} from './data.js'
import {throughputCard, speed} from './flow.js'
import {usesCard, pullsDown} from './uses.js'
import {speedText} from './panel.js'
import {charts, figure, unzoom} from './plot.js'
import {standing, feed} from './overview.js'

const DAY = 86400e3
const RANGES = [['1 h', '1h', 3600e3], ['24 h', '24h', DAY], ['7 d', '7d', 7 * DAY], ['30 d', '30d', 30 * DAY], ['1 y', '365d', 365 * DAY], ['all', '3650d', null]]
const rangeOf = query => RANGES.find(r => r[0] === query.get('range')) ?? RANGES[1]
const who = query => encodeURIComponent(`${query.get('host')}/${query.get('bay')}`)

// ---- the link: expected, negotiated, drive, slot ----

function rung(b, name, speed, width, from, cls = '') {
	const l = b.link, top = Math.max(b.policy?.speed_gts ?? 0, l.max_speed_gts ?? 0, l.slot?.max_speed_gts ?? 0, speed ?? 0)
	const wide = Math.max(b.policy?.width ?? 0, l.max_width ?? 0, l.slot?.max_width ?? 0, width ?? 0)
	const gauge = cls ? b : {policy: null, link: {speed_gts: speed, width, max_speed_gts: top, max_width: wide, slot: {max_speed_gts: top, max_width: wide}}}
	return h('div', {class: `rung ${cls} ${cls ? 'v-' + b.verdict : ''}`}, h('h3', {}, name), lanes(gauge, {w: 64, hgt: 44}),
		h('p', {class: 'big num'}, known(speed) || known(width) ? link(speed, width) : 'not known'),
		h('p', {class: 'sub'}, known(speed) ? `${speed} GT/s a lane${known(width) ? ` · ${gbs(rate(speed, width))}` : ''}` : 'not reported'), from && h('p', {class: 'from'}, from))
}

// Of the address of a document its last part is enough to find it; the whole is in the title.
const sourceText = source => source && h('span', {title: source}, source.split('/').at(-1).split(':')[0])

// The properties as given say more than the address of the document they stand in.
function given(l, names, source) {
	const found = names.filter(n => l.raw[n] !== undefined).map(n => `${n} ${l.raw[n] === '' ? '“”' : l.raw[n]}`)
	return [found.join(', '), found.length > 0 && source && h('br'), sourceText(source)].filter(Boolean)
}

function linkCard(b) {
	const l = b.link
	if (!l) return card('Link', 'link-card', h('p', {}, state(b.verdict), ' ', b.verdict === 'not-applicable' ? 'This drive has no PCIe link of its own, so there is nothing to judge.' : 'Nothing is reported of this link.'))
	const src = l.sources ?? {}
	return card('Link', 'link-card', h('div', {class: 'ladder'},
		b.policy && (known(b.policy.speed_gts) || known(b.policy.width)) && rung(b, 'Expected', b.policy.speed_gts, b.policy.width, `policy “${b.policy.name}”`),
		rung(b, 'Negotiated', l.speed_gts, l.width, given(l, ['PCIeType', 'LanesInUse', 'current_link_speed', 'current_link_width'], src.speed_gts ?? src.width), 'now'),
		rung(b, 'Drive can', l.max_speed_gts, l.max_width, given(l, ['MaxPCIeType', 'MaxLanes', 'max_link_speed', 'max_link_width'], src.max_speed_gts ?? src.max_width)),
		l.slot ? rung(b, 'Slot can', l.slot.max_speed_gts, l.slot.max_width, sourceText(src.slot)) : h('div', {class: 'rung'}, h('h3', {}, 'Slot can'), h('p', {class: 'sub'}, 'not reported'))))
}

function rawCard(b) {
	const rows = Object.entries(b.link?.raw ?? {})
	return rows.length ? card('Values as given', 'raw', h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'property'), h('th', {scope: 'col'}, 'value'))),
		h('tbody', {}, rows.map(([k, v]) => h('tr', {}, h('th', {scope: 'row'}, h('code', {}, k)), h('td', {}, h('code', {}, v === '' ? '“” (empty)' : v))))))) : null
}

function carriesCard(b, week) {
	const l = b.link, beyond = {link: 'lost to the short link', slot: 'beyond this slot', drive: 'beyond this drive', power: 'asleep now'}[b.limited_by]
	if (!l) return null
	const moved = ['read', 'write'].map(way => peakOf(b.throughput?.[`${way}_bytes_per_second`], week?.[`${way}_bytes_per_second`])), peak = greatest(moved.map(v => [0, v]))
	const healthy = Math.max(l.max_bandwidth_bytes_per_second ?? 0, rate(b.policy?.speed_gts, b.policy?.width) ?? 0)
	return card('Link ceiling', 'ceil', known(l.bandwidth_bytes_per_second) ? [ceilingBar(l.bandwidth_bytes_per_second, healthy, b.limited_by === 'link' ? 'hatch-bad' : 'hatch', peak), known(peak) && h('p', {class: 'sub'}, `Thin line: the most of 7 days one way, ${speed(peak)}.`), beyond && healthy > l.bandwidth_bytes_per_second && h('p', {class: 'sub'}, `Hatched: ${beyond}.`)] :
		h('p', {}, mark('unknown'), ' Not known: the link has no reading.'))
}

function viewsCard(b) {
	const views = b.link?.by_source ?? []
	if (!b.link) return null
	if (views.length < 2) return card('Two views', 'views', h('p', {}, `One source: ${b.drive?.sources?.[0] ?? b.target}.`), h('p', {class: 'sub'}, 'Where the BMC and the operating system of this machine are both read, what each sees stands here side by side.'))
	const texts = views.map(v => known(v.speed_gts) || known(v.width) ? link(v.speed_gts, v.width) : 'not reported'), differ = new Set(texts.filter(t => t !== 'not reported')).size > 1
	return card('Two views', 'views', h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'source'), h('th', {scope: 'col'}, 'link'))),
		h('tbody', {}, views.map((v, i) => h('tr', {class: differ ? 'differs' : null}, h('th', {scope: 'row'}, v.target), h('td', {}, texts[i], differ && h('span', {class: 'tag'}, 'differs')))))),
		h('p', {class: 'sub'}, differ ? 'The sources do not agree; none is averaged away.' : 'The sources agree.'))
}

// What its pools say of a pull; where no pool is read that is said, and never taken for safe.
function pullCard(b, m) {
	const d = b.drive, mine = n => n.if_pulled && (n.serial && d.serial ? n.serial === d.serial : n.bay === b.bay)
	const found = m.pools.flatMap(p => (p.tree ?? []).filter(mine).map(n => ({pool: p.pool, ...n})))
	const others = pullsDown(b).map(t => h('p', {class: 'big-say'}, t))
	return card('Pulling this drive', 'impact', others, found.length ? found.map(n => [h('p', {class: 'big-say'}, n.if_pulled), h('p', {class: 'sub'}, `${n.name} of pool ${n.pool}, ${n.state ?? 'state not known'}`)]) :
		others.length === 0 && h('p', {class: 'sub'}, m.pools.length ? 'No pool that is read here names this drive. Something else may use it.' : 'Not known: no pool of this machine is read. Where lanewatch also runs on the host, it says here what a pull would cost.'))
}

// ---- wear and health ----

function wearChart(b, points) {
	const w = b.wear, f = w.forecast, now = Date.now(), first = points[0]?.[0] ?? now, from = Math.min(first, now - 30 * DAY)
	const end = f?.exhausted_on ? Math.min(Date.parse(f.exhausted_on) + 60 * DAY, now + 5 * 365 * DAY) : now + (now - from) * .25
	const at = t => w.percent_used + (100 - w.percent_used) * (end - now) / (Date.parse(t) - now)
	const lines = [{cls: 'main', points: [...points, [now, w.percent_used]]}]
	if (f?.exhausted_on) lines.push({cls: 'forecast', points: [[now, w.percent_used], [end, at(f.exhausted_on)]]})
	return fit(width => chart({width, height: 190, from, to: end, max: 120, unit: '%', tickText: end - from < 100 * DAY ? shortDay : month, label: `Wear: ${w.percent_used} % now`,
		levels: [{v: 80, cls: 'warning', text: '80 % warning'}, {v: 100, cls: 'critical', text: '100 % rated endurance'}], lines,
		band: f?.earliest && f?.latest ? [[now, w.percent_used, w.percent_used], [end, at(f.latest), at(f.earliest)]] : null, flags: [{t: now, text: 'now', left: true}]}))
}

function wearCard(b, points) {
	const w = b.wear, f = w?.forecast
	if (!w || !w.applicable) return card('Wear', 'wear-card', h('p', {}, state('not-applicable'), ' This kind of drive does not wear by writing.'))
	const readout = [known(w.percent_used) && [`${w.percent_used} %`, 'of rated endurance used'], known(w.available_spare_percent) && [`${w.available_spare_percent} %`, `spare${known(w.spare_threshold_percent) ? `, threshold ${w.spare_threshold_percent} %` : ''}`],
		known(w.bytes_written) && [tb(w.bytes_written), `written${known(w.rated_tbw) ? ` of ${whole(w.rated_tbw)} TB rated` : ''}`], known(w.bytes_read) && [tb(w.bytes_read), 'read']].filter(Boolean)
	const said = !known(w.percent_used) ? null : f?.exhausted_on ? `Reaches 100 % on ${day(f.exhausted_on)}${f.earliest && f.latest ? `, between ${day(f.earliest)} and ${day(f.latest)}` : ''}, from ${Math.round(f.basis_days)} days of history.` : 'No forecast: that needs 30 days of history and some wear in them.'
	return card('Wear', 'wear-card', !known(w.percent_used) && h('p', {}, mark('unknown'), ` Wear is not reported by this source${w.reasons.length ? ` (${w.reasons.join(', ')})` : ''}. It is not taken for 0.`),
		w.alert !== 'none' && w.alert !== 'unknown' && h('p', {class: 'conclusion'}, state(w.alert), ` ${w.reasons.join(', ')}`),
		readout.length > 0 && h('p', {class: 'readout'}, readout.map(([v, t]) => h('span', {}, h('b', {class: 'num'}, v), ' ', t))), known(w.percent_used) && wearChart(b, points), said && h('p', {class: 'sub'}, said),
		w.quality === 'suspect' && h('p', {class: 'sub'}, 'The value is suspect: this kind of drive or controller is known to make it up.'))
}

// "; drive: 3 BadTLP": which end of the link counted which corrected errors
function kindsOf(end, x) {
	const kinds = Object.entries(x?.kinds ?? {})
	return kinds.length ? `; ${end}: ${kinds.map(([k, n]) => `${n} ${k}`).join(', ')}` : ''
}

function healthCard(b, hottest) {
	const x = b.health, silent = []
	const fact = (name, v, text = whole) => { if (known(v)) return [name, text(v)]; silent.push(name); return null }
	const rows = [['Status', state({ok: 'ok', warning: 'warning', critical: 'critical'}[x.status] ?? 'unknown', x.status ?? 'unknown')], b.bmc_health && ['BMC says', b.bmc_health],
		fact('Predicted failure', x.failure_predicted, v => v ? 'yes' : 'no'), fact('Critical warning', x.critical_warning, v => v.length ? v.join(', ') : 'none'), fact('Temperature', b.temperature_celsius, v => `${v} °C`), known(hottest) && ['Of 7 days', `at most ${peakOf(b.temperature_celsius, hottest)} °C`],
		fact('Media errors', x.media_errors), fact('Error log', x.error_log_entries, v => plural(+v, 'entry', 'entries')), fact('Unsafe shutdowns', x.unsafe_shutdowns), fact('Power cycles', x.power_cycles), fact('Power on', x.power_on_hours, v => `${whole(v)} h`),
		fact('Busy', x.controller_busy_minutes, v => `${whole(v)} min`), fact('Self-test', x.self_test, v => `${v.result}${known(v.power_on_hours) ? ` at ${whole(v.power_on_hours)} h` : ''}`),
		x.last_error && ['Last error', `number ${x.last_error.number}, status ${x.last_error.status}${x.last_error.lba ? `, block ${x.last_error.lba} of namespace ${x.last_error.namespace}` : ''}`],
		b.link && fact('Link errors', b.link.aer, v => `${v.correctable ?? '–'} corrected, ${v.nonfatal ?? '–'} not, ${v.fatal ?? '–'} fatal${kindsOf('drive', v.device)}${kindsOf('port', v.port)}`), b.link && fact('Link changes', b.link.changes)]
	return card('Health', 'health', dl(rows), silent.length > 0 && h('p', {class: 'sub more'}, `Not reported by this source: ${silent.join(', ').toLowerCase()}.`))
}

function identityCard(b) {
	const d = b.drive, row = (name, v, show = x => x) => known(v) && v.length !== 0 && [name, show(v)]
	return card('Identity', 'identity', dl([['Serial', known(d.serial) ? copy(d.serial) : 'not reported'], row('Model', d.model, copy), row('Maker', d.manufacturer), row('Part number', d.part_number, copy), row('Firmware', d.firmware, v => d.firmware_next ? `${v}, after its next reset ${d.firmware_next}` : v), row('Capacity', d.capacity_bytes, tb),
		row('Form', d.form_factor), row('Protocol', d.protocol), row('Medium', d.media_type), row('PCI address', d.pci_address, copy), row('Controller', d.controller), row('Namespaces', d.namespaces, v => v.join(', ')), row('Names', d.names, v => v.join(', ')), row('State', d.state), row('Seen by', d.sources, v => v.join(', ')), row('Id', d.id, copy)]))
}

// ---- history ----

function spansOf(points, key, interval) {
	const spans = [], gaps = gapsIn(points.map(p => Date.parse(p.at)), Math.max(interval, DAY / 84))
	points.forEach((p, i) => {
		const t = Date.parse(p.at), last = spans.at(-1), text = p[key] ?? 'no serial'
		if (last && last.text === text && !gaps.has(i)) last.to = t
		else spans.push({from: t, to: t, text})
	})
	return spans
}

function followCard(b, bayPoints, drivePoints, interval, hints) {
	if (!bayPoints.length && !drivePoints.length) return null
	const rows = [{name: `bay ${b.bay}`, sub: 'held', spans: spansOf(bayPoints, 'serial', interval)}, {name: 'this drive', sub: 'sat in', spans: spansOf(drivePoints.map(p => ({...p, bay: `bay ${p.bay}`})), 'bay', interval)}].filter(r => r.spans.length)
	const all = rows.flatMap(r => r.spans), to = Math.max(...all.map(x => x.to)), from = Math.min(...all.map(x => x.from), to - 60e3)
	const hint = hints.find(x => ['follows-drive', 'stays-with-bay'].includes(x.code) && x.bays.includes(b.bay)), moved = rows.some(r => r.spans.length > 1)
	const text = hint ? [mark('degraded-width'), h('b', {}, hint.code), ': ', hint.message] : BAD.has(b.verdict) ? 'One cannot tell yet whether bay or drive is at fault. Move this drive to a healthy bay: if it trains fully there, the bay is at fault.' :
		moved ? 'Drives moved here; the link is as it should be.' : 'One drive, one bay, since this machine was first seen.'
	return card('Who sat here, and where this drive sat', 'follow', h('p', {class: 'conclusion'}, text), fit(w => follows(rows, from, to, `Drives in bay ${b.bay} and bays of this drive`, w)))
}

// The greatest of seven days: asked for once, for what came since then the page has seen.
const PEAKS = ['temperature_celsius', 'read_bytes_per_second', 'write_bytes_per_second'], peaks = new Map()
const greatest = points => points.reduce((most, p) => known(p[1]) && !(p[1] < most) ? p[1] : most, null)
const peakOf = (now, week) => known(now) && known(week) ? Math.max(now, week) : week

const numbers = reply => (reply?.points ?? []).map(p => [Date.parse(p.at), known(p.value) ? Number(p.value) : null])

const spanOf = (points, range) => [range[2] ? Date.now() - range[2] : Math.min(Date.now() - 3600e3, ...points.slice(0, 1).map(p => p[0])), Date.now()]

// Why there is a gap, as far as events tell: for the flag that stands in it.
function whyOf(events, outages, interval) {
	const within = (e, from, to) => Date.parse(e.at) >= from - 2 * interval && Date.parse(e.at) <= to
	return (from, to) => outages.some(e => within(e, from, to)) ? 'no answer' : events.some(e => e.type === 'drive-removed' && within(e, from, to)) ? 'drive out' : 'not read'
}

function throughput(data, span, interval, why) {
	const lines = [{name: 'read', points: numbers(data.read)}, {name: 'write', points: numbers(data.write)}], most = lines.flatMap(l => l.points.map(p => p[1] ?? 0)).reduce((a, b) => Math.max(a, b), 0)
	const [unit, scale] = most >= 1e9 ? ['GB/s', 1e9] : most >= 1e6 ? ['MB/s', 1e6] : ['kB/s', 1e3]
	return lines.some(l => l.points.some(p => known(p[1]))) ? figure('Throughput', unit, lines.map(l => ({...l, points: l.points.map(([t, v]) => [t, known(v) ? v / scale : null])})), span, interval, {why}) : null
}

// The link over time: height and colour as trained; a gap is hatched.
function strip(b, speeds, widths, range, interval) {
	const now = Date.now(), from = range[2] ? now - range[2] : speeds[0]?.[0] ?? now - DAY, N = 96
	const full = rate(Math.max(b.policy?.speed_gts ?? 0, b.link?.max_speed_gts ?? 0), Math.max(b.policy?.width ?? 0, b.link?.max_width ?? 0)) || null
	const wide = new Map(widths), svg = s('svg', {class: 'strip', viewBox: `0 0 ${N * 6.5} 30`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Link over time, now ${speedText(b)}`})
	const slots = Array.from({length: N}, () => null)
	const at = t => Math.min(N - 1, Math.floor((t - from) / (now - from) * N)), gaps = gapsIn(speeds.map(p => p[0]), interval)
	let before = null
	speeds.forEach(([t, v], i) => {
		const r = rate(v, wide.get(t) ?? null), k = at(t)
		if (k >= 0 && known(r) && (slots[k] === null || r < slots[k])) slots[k] = r
		// what was read last holds until the next reading, where there is no gap
		if (i && !gaps.has(i)) for (let j = Math.max(0, at(speeds[i - 1][0]) + 1); j < k; j++) slots[j] = before
		before = r
	})
	const first = slots.findIndex(known)
	slots.forEach((r, k) => {
		if (r === null && (first < 0 || k < first)) return		// before the first reading there is nothing to miss
		const part = r === null ? 1 : full ? Math.max(.15, Math.min(1, r / full)) : 1, short = full && r !== null && r < full * .99
		svg.append(s('rect', {class: `bar ${r === null ? '' : short ? 'v-degraded-width' : 'v-ok'}`, x: k * 6.5, y: 30 - 30 * part, width: 5, height: 30 * part, fill: r === null ? 'url(#hatch)' : null}))
	})
	return h('figure', {}, h('figcaption', {}, h('b', {}, 'Link'), first < 0 ? ' nothing recorded for this range' : ' height: bandwidth as trained; a gap is hatched'), first < 0 ? null : svg)
}

function historyCard(b, data, range, change, interval, events) {
	const picker = h('div', {class: 'range', role: 'group', 'aria-label': 'Range'}, RANGES.map(r => h('button', {type: 'button', 'aria-pressed': String(r === range), onclick: () => { unzoom(); change({range: r[0]}) }}, r[0])))
	const span = spanOf(numbers(data.temperature), range), why = whyOf(events, data.outages ?? [], interval)
	if (data.refused) return card('History', 'charts', h('p', {class: 'sub'}, `No history: ${data.refused}.`))
	return h('section', {class: 'card charts'}, h('h2', {}, 'History', picker), h('div', {class: 'plots'}, b.link && strip(b, numbers(data.speed), numbers(data.width), range, interval), figure('Temperature', '°C', [{name: 'temperature', points: numbers(data.temperature)}], span, interval, {min: 20, max: 80, why}), throughput(data, span, interval, why),
		b.wear?.applicable && figure('Endurance used', '%', [{name: 'used', points: numbers(data.wear).filter(p => p[0] >= span[0])}], span, interval, {why})))
}

// ---- the page ----

function verdictPlate(b, m, prev, next) {
	const d = b.drive, other = standing(m, b.bay), notes = m.notes.filter(x => x.bay === b.bay)
	return h('div', {class: `verdict v-${b.verdict}`}, h('div', {class: 'plate'}, mark(b.verdict)),
		h('div', {class: 'say'}, h('h1', {}, `Bay ${b.bay} `, h('small', {}, [b.host, b.location].filter(Boolean).join(' · '))),
			h('p', {class: 'word'}, b.verdict, b.limited_by && h('span', {}, ` · limited by ${b.limited_by}`), b.reason && h('span', {}, ` · ${b.reason}`)), h('p', {class: 'msg'}, b.message),
			other.length + notes.length > 0 && h('ul', {class: 'standing'}, other.map(a => h('li', {}, state(a.severity, a.kind), h('span', {}, said(a)))), notes.map(x => h('li', {}, state('info', x.code), h('span', {}, x.message)))),
			h('p', {class: 'ident'}, d && known(d.serial) && h('span', {}, 'S/N ', copy(d.serial)), d?.model && h('span', {}, d.model), d?.firmware && h('span', {}, `firmware ${d.firmware}`), h('span', {}, 'read ', readAgo(`${b.host}/${b.bay}`)),
				b.stale && h('span', {class: 'state v-stale'}, mark('stale'), `values are ${age(secondsSince(b.observed_at))} old`))),
		h('nav', {class: 'step', 'aria-label': 'Neighbouring bays'}, prev && h('a', {class: 'button', href: bayUrl(prev), 'aria-label': `Bay ${prev.bay}`}, `‹ ${prev.bay}`), next && h('a', {class: 'button', href: bayUrl(next), 'aria-label': `Bay ${next.bay}`}, `${next.bay} ›`)))
}

export default {
	title: ({query}) => `Bay ${query.get('bay') ?? '?'}, ${query.get('host') ?? '?'}`,
	needs: query => [baysOf(query.get('host')), 'alerts', `events?limit=100&host=${encodeURIComponent(query.get('host') ?? '')}&bay=${encodeURIComponent(query.get('bay') ?? '')}`],
	parent: query => `${hostUrl(query.get('host') ?? '')}#bay-${query.get('bay')}`,
	// series are asked for apart: the page stands without them
	async more({ask, query, machines}) {
		const b = find(machines, query)
		if (!b) return {}
		const since = `&since=-${rangeOf(query)[1]}`, here = who(query), wanted = {temperature: [here, 'temperature_celsius', since], speed: [here, 'speed_gts', since], width: [here, 'width', since], read: [here, 'read_bytes_per_second', since], write: [here, 'write_bytes_per_second', since],
			wear: [here, 'percent_used', ''], held: [here, 'present', ''], ...b.drive?.serial && {sat: [encodeURIComponent(b.drive.serial), 'present', '']}}
		const whose = b.drive?.serial ? encodeURIComponent(b.drive.serial) : here, unasked = PEAKS.filter(metric => b.drive && !peaks.has(`${whose} ${metric}`))
		// two at a time: the agent reads eight, for all pages that are open
		const left = [...Object.entries(wanted), ...unasked.map(metric => [metric, [whose, metric, '&since=-7d']])], found = {}
		const lane = async () => { for (let one; (one = left.shift());) found[one[0]] = await ask(`series?drive=${one[1][0]}&metric=${one[1][1]}${one[1][2]}`) }
		try {
			const outages = ask(`events?limit=200&type=target-unreachable&host=${encodeURIComponent(b.host)}`)
			await Promise.all([lane(), lane(), charts()])
			for (const metric of unasked) {
				peaks.set(`${whose} ${metric}`, greatest(numbers(found[metric])))
				delete found[metric]
			}
			return {...found, outages: (await outages).events, peaks: Object.fromEntries(PEAKS.map(metric => [metric, peaks.get(`${whose} ${metric}`) ?? null]))}
		} catch (e) {
			return {refused: e.message}
		}
	},
	steps: ({machines, query}) => {
		const b = find(machines, query), m = b && machines.find(x => x.host === b.host), list = m ? [...m.bays, ...m.boot] : [], i = list.indexOf(b)
		return {prev: list[i - 1] ?? null, next: i < 0 ? null : list[i + 1] ?? null}
	},
	draw(ctx) {
		const {machines, events, query, change, status, extra = {}} = ctx
		const b = find(machines, query), m = b && machines.find(x => x.host === b.host), interval = (status?.poll_interval_seconds ?? 60) * 1000
		if (!b) return [crumbs(['Overview', 'index.html'], [query.get('host') ?? '?', hostUrl(query.get('host') ?? '')], [`bay ${query.get('bay')}`]), h('h1', {}, 'No such bay'), notice('unknown', 'Nothing is known of this bay.', 'It may have another number now, or its machine was taken out of the configuration.')]
		const {prev, next} = this.steps(ctx), d = b.drive, enc = encodeURIComponent
		const here = card('Events of this bay', 'bay-events', feed(events, 'Nothing yet.', 12), h('p', {class: 'more'}, h('a', {href: `api/v1/bays?host=${enc(b.host)}&bay=${enc(b.bay)}`}, 'This bay as JSON'), ' · ', h('a', {href: `api/v1/bays.csv?host=${enc(b.host)}&bay=${enc(b.bay)}`}, 'as CSV')))
		const head = [crumbs(['Overview', 'index.html'], [b.host, hostUrl(b.host)], [`bay ${b.bay}`]), verdictPlate(b, m, prev, next)]
		if (!d) return [...head, notice('absent', b.expected ? 'A drive is expected here.' : 'Nothing is expected here.', b.expected ? 'If it was pulled on purpose, change the policy of this bay.' : 'When a drive is pushed in it appears here by itself, judged.'), h('div', {class: 'bay-grid'}, h('div', {class: 'bay-main'}, followCard(b, extra.held?.points ?? [], [], interval, m.hints), here))]
		return [...head, h('div', {class: 'bay-grid'},
			h('div', {class: 'bay-main'}, linkCard(b), h('div', {class: 'pair'}, pullCard(b, m), carriesCard(b, extra.peaks)), followCard(b, extra.held?.points ?? [], extra.sat?.points ?? [], interval, m.hints), wearCard(b, numbers(extra.wear)), historyCard(b, extra, rangeOf(query), change, interval, events)),
			h('div', {class: 'bay-side'}, viewsCard(b), usesCard(b, m), throughputCard(b), identityCard(b), healthCard(b, extra.peaks?.temperature_celsius), rawCard(b), here))]
	},
}

function find(machines, query) {
	const m = machines.find(x => x.host === query.get('host'))
	return m && [...m.bays, ...m.boot].find(b => b.bay === query.get('bay'))
}
