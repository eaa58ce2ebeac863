// SPDX-License-Identifier: MIT
// The fleet: one sentence, the machines worst first with their pictures, and what is worst of each kind.

import {h, portions, card, dl, plural, known, BAD, FINE, capacity, month, bayUrl, hostUrl, place, ago, readAgo, vh} from './dom.js'
import {allBays} from './data.js'
import {mark, state, donut, legend, wearBar, ceilingBar, notice} from './parts.js'
import {panel, speedText, shortOf} from './panel.js'

export const count = bays => bays.reduce((c, b) => (c[b.verdict] = (c[b.verdict] ?? 0) + 1, c), {})
export const expected = b => b.verdict !== 'not-applicable' && !(b.verdict === 'absent' && !b.expected)
const SOME = 6		// machines drawn at once; more as one scrolls
const ORDER = ['degraded-both', 'degraded-width', 'degraded-speed', 'absent', 'below-policy', 'unreachable', 'unknown', 'drive-limited', 'power-saving']
const SCORES = {'below-policy': 10, 'absent': 60, 'unknown': 5}

export const exceptions = m => m.stale ? [] : m.bays.filter(b => b.verdict !== 'ok' && expected(b)).sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
export const standing = (m, bay) => m.alerts.filter(a => known(a.bay) && (bay === undefined || a.bay === bay) && !['link', 'absent', 'unreachable'].includes(a.kind))
const score = m => m.bays.filter(expected).reduce((n, b) => n + (BAD.has(b.verdict) ? 100 : SCORES[b.verdict] ?? 0), 0) + (m.stale ? 90 : 0) + 40 * m.hops.length
export const worstFirst = machines => [...machines].sort((a, b) => score(b) - score(a) || a.host.localeCompare(b.host, 'en', {numeric: true}))

// Worst first as it was when the page came; a machine does not move under the finger, one that is new stands last.
let order = null
export const orderAgain = () => { order = null }
function inOrder(machines) {
	const worst = worstFirst(machines)
	order ??= worst.map(m => m.host)
	const at = new Map(order.map((host, i) => [host, i])), place_ = m => at.get(m.host) ?? order.length
	const list = [...worst].sort((a, b) => place_(a) - place_(b))
	return {list, moved: list.some((m, i) => m !== worst[i])}
}

const mostWorn = bays => bays.filter(b => known(b.wear?.percent_used)).sort((a, b) => b.wear.percent_used - a.wear.percent_used)

// Clauses in falling order of importance, each a link to what it counts.
export function fleetSentence(machines) {
	const bays = machines.flatMap(m => m.bays), judged = bays.filter(expected), c = count(judged)
	const fine = judged.filter(b => FINE.has(b.verdict)).length, bad = judged.filter(b => BAD.has(b.verdict)).length
	const worn = mostWorn(bays)[0], stale = machines.filter(m => m.stale), hops = machines.flatMap(m => m.hops.map(() => m))
	const clause = (shape, text, url) => h('a', {class: `clause v-${shape}`, href: url}, mark(shape), text)
	const of = (v, text) => c[v] ? ['; ', clause(v, `${c[v]} ${text}`, `drives.html?verdict=${v}`)] : null
	if (!judged.length) return h('p', {class: 'sentence'}, bays.length ? 'No bay here has a PCIe link to judge.' : 'No bay is known yet.')
	return h('p', {class: 'sentence'},
		fine === judged.length ? [h('b', {}, `All ${fine}`), ' bays as expected'] : [h('b', {}, `${fine} of ${judged.length}`), ' bays as expected; ', bad ? clause('degraded-width', `${bad} degraded`, 'drives.html?verdict=degraded') : 'none degraded'],
		of('below-policy', 'below policy'), of('absent', 'missing'), of('unknown', 'unknown'),
		hops.length ? ['; ', clause('degraded-width', plural(hops.length, 'uplink') + ' short', hostUrl(hops[0].host))] : null,
		worn ? ['; worst wear ', h('a', {class: 'clause', href: bayUrl(worn)}, `${worn.wear.percent_used} %`), worn.wear.forecast?.exhausted_on ? `, reaches 100 % in ${month(worn.wear.forecast.exhausted_on)}` : null] : '; wear not reported',
		stale.length ? ['; ', clause('unreachable', `${plural(stale.length, 'machine')} stale`, 'targets.html')] : null, '.')
}

export const where = e => e.bay !== null ? h('a', {href: bayUrl(e)}, `${e.host} bay ${e.bay}`) : h('a', {href: hostUrl(e.host ?? e.target)}, e.host ?? e.target)
export const feedLine = e => h('li', {}, mark(e.severity), vh(e.severity), ago(e.at), h('span', {class: 'what'}, where(e), ' ', h('em', {}, e.type), ' ', e.message))
// The first look at a machine brings an event for each drive: one line for all of them.
function gather(list) {
	const out = []
	for (const e of list) {
		const last = out.at(-1)
		if (last && e.type === 'drive-added' && last.type === e.type && last.host === e.host && last.at === e.at) {
			last.n = (last.n ?? 1) + 1
			Object.assign(last, {bay: null, message: `${last.n} drives were seen for the first time`})
		} else {
			out.push({...e})
		}
	}
	return out
}
export const feed = (list, empty, most = 8) => list.length ? h('ol', {class: 'feed'}, gather(list).slice(0, most).map(feedLine)) : h('p', {class: 'sub'}, empty)

function oddLine(b) {
	return h('li', {}, h('a', {href: bayUrl(b)}, h('b', {}, `bay ${b.bay}`)), state(b.verdict), b.link && known(b.link.speed_gts) && h('span', {class: 'num'}, speedText(b), shortOf(b) && h('small', {class: 'of'}, ` of ${shortOf(b)}`)))
}

function machineCard(m) {
	const odd = exceptions(m), c = count(m.bays)
	const lines = m.stale ? h('li', {}, state('unreachable'), h('span', {}, m.bays.length ? `no answer; ${plural(m.bays.length, 'bay shows', 'bays show')} what was said last` : 'no answer yet')) :
		odd.length ? [odd.slice(0, 3).map(oddLine), odd.length > 3 && h('li', {}, h('a', {href: hostUrl(m.host)}, `and ${odd.length - 3} more`))] :
			m.bays.length ? h('li', {}, state('ok', `all ${c.ok ?? 0} links as expected`)) : h('li', {}, state('unknown', m.targets[0]?.message ?? 'no bay is told of'))
	return h('article', {class: `card machine ${m.stale ? 'is-stale' : ''} ${m.bays.length <= 10 ? 'small' : ''}`},
		h('header', {}, h('h3', {}, h('a', {href: hostUrl(m.host)}, m.host)), h('span', {class: 'sub'}, m.product ?? 'product not reported'),
			h('span', {class: 'fresh'}, m.stale && [mark('stale'), m.read ? 'stale, ' : 'read '], readAgo(m.host))),
		m.bays.length > 0 && panel(m, {mini: true}),
		m.hops.map(p => h('p', {class: 'hop'}, state(p.verdict), h('span', {}, `uplink ${p.at}`, p.shared_by.length > 0 && `, shared by bays ${p.shared_by.join(', ')}`))),
		h('ul', {class: 'odd'}, lines, standing(m).slice(0, 3).map(a => h('li', {}, h('a', {href: bayUrl(a)}, h('b', {}, `bay ${a.bay}`)), state(a.severity, a.kind)))))
}

function driveFacts(machines) {
	const bays = machines.flatMap(m => m.bays), there = bays.filter(b => b.drive), boot = machines.flatMap(m => m.boot).filter(b => b.drive)
	const by = f => Object.entries(there.reduce((o, b) => (o[f(b) ?? 'not reported'] = (o[f(b) ?? 'not reported'] ?? 0) + 1, o), {})).map(([k, n]) => `${n} ${k}`).join(' · ')
	const sized = list => list.filter(b => known(b.drive.capacity_bytes)), sum = list => sized(list).reduce((n, b) => n + Number(b.drive.capacity_bytes), 0)
	const size = list => sized(list).length === list.length ? capacity(sum(list)) : `${capacity(sum(list))} and ${list.length - sized(list).length} of unknown size`
	return card('Drives', 'summary', dl([['In bays', there.length ? `${there.length} of ${bays.length}, ${size(there)}` : `none of ${bays.length}`], there.length && ['Protocol', by(b => b.drive.protocol)],
		there.length && ['Medium', by(b => b.drive.media_type)], there.length && ['Form', by(b => b.drive.form_factor)], boot.length && ['Boot, apart', `${plural(boot.length, 'drive')}, ${size(boot)}`]]))
}

function wearCard(bays) {
	const worn = mostWorn(bays).slice(0, 5), silent = bays.filter(b => b.drive && !known(b.wear?.percent_used)).length
	return card('Worst wear', 'worst', worn.length > 0 && h('ol', {class: 'wearlist'}, worn.map(b => h('li', {}, place(b), wearBar(b.wear.percent_used), h('b', {class: 'num'}, `${b.wear.percent_used} %`),
		b.wear.forecast?.exhausted_on && h('small', {}, `100 % in ${month(b.wear.forecast.exhausted_on)}`)))), silent > 0 && h('p', {class: 'sub'}, `${plural(silent, 'drive does', 'drives do')} not report wear.`))
}

// What stands on the drives: pools, and arrays of the kernel, each once however many drives tell of it.
function arraysOf(m) {
	const uses = [...m.bays, ...m.boot].flatMap(b => b.drive?.uses ?? []).filter(u => u.kind === 'md')
	return [...new Map(uses.map(u => [u.name, u])).values()]
}
function virtualDisks(machines) {
	const line = (m, name, url, st, text) => h('li', {}, h('a', {href: url}, m.host, ' ', h('b', {}, name)), st, text && h('small', {}, text))
	const word = p => state(p.health === 'ONLINE' ? 'ok' : known(p.health) ? 'warning' : 'unknown', p.health ?? 'not known')
	const lines = machines.flatMap(m => [...m.pools.map(p => line(m, p.pool, 'pools.html', word(p), known(p.bytes_size) && `pool of ${capacity(Number(p.bytes_size))}`)),
		...arraysOf(m).map(u => line(m, u.name, hostUrl(m.host), /missing|degraded/.test(u.detail ?? '') ? state('warning', 'degraded') : null, [u.detail ?? 'array', u.mount && `on ${u.mount}`].filter(Boolean).join(' ')))])
	return lines.length ? card('Virtual disks', 'virtual', h('ul', {class: 'virtual-list'}, lines.slice(0, 8)), lines.length > 8 && h('p', {class: 'sub'}, `and ${lines.length - 8} more`)) : null
}

// What the links of bays carry as trained, and would carry if each were whole: null where none is known.
export function linkSums(bays) {
	const lit = bays.filter(b => known(b.link?.bandwidth_bytes_per_second)), sum = f => lit.reduce((n, b) => n + f(b.link), 0)
	return lit.length ? {now: sum(l => l.bandwidth_bytes_per_second), healthy: sum(l => Math.max(l.bandwidth_bytes_per_second, l.max_bandwidth_bytes_per_second ?? 0))} : null
}
function ceilings(machines) {
	const all = machines.map(m => ({m, sums: linkSums(m.bays)})).filter(x => x.sums).sort((a, b) => (b.sums.healthy - b.sums.now) - (a.sums.healthy - a.sums.now))
	return all.length ? card('What the links carry', 'ceilings', all.slice(0, 4).map(({m, sums}) => [h('h3', {}, h('a', {href: `ceiling.html?host=${encodeURIComponent(m.host)}`}, m.host)), ceilingBar(sums.now, sums.healthy)]),
		all.length > 4 && h('p', {class: 'sub'}, 'The four that fall short most.')) : null
}

export default {
	title: () => 'Overview',
	needs: () => [allBays(), 'alerts', 'events?limit=200'],
	draw({machines, events, query, change}) {
		if (!machines.length) return [h('h1', {class: 'vh'}, 'Overview'), notice('info', 'No target yet.', 'Add one to the configuration; docs/CONFIG.md shows how.')]
		const bays = machines.flatMap(m => m.bays), c = count(bays), chosen = query.get('verdict')
		const {list: sorted, moved} = inOrder(machines), again = moved && h('button', {type: 'button', class: 'plain-button', id: 'order-again', onclick: () => { orderAgain(); change({}) }}, 'order again')
		const list = h('div', {class: 'machines'}), dim = t => t.classList.toggle('dim', t.dataset.verdict !== chosen)
		const card_ = m => {
			const one = machineCard(m)
			if (chosen) one.querySelectorAll('.bay').forEach(dim)
			return one
		}
		const pick = v => change({verdict: chosen === v ? null : v})
		const out = [h('div', {class: 'lead'}, h('h1', {class: 'vh'}, 'Overview'), fleetSentence(machines)),
			h('div', {class: 'overview', 'data-filter': chosen ?? ''},
				h('div', {class: 'col-main'}, h('h2', {class: 'rule'}, 'Machines', h('small', {}, 'worst first'), again), list, portions('machines', sorted, SOME, list, card_),
					h('section', {class: 'card events-card'}, h('h2', {}, 'Storage events', h('small', {}, 'newest first')), feed(events, 'Nothing has happened yet.', 7), h('p', {class: 'more'}, h('a', {href: 'events.html'}, 'All events')))),
				h('div', {class: 'bays-card'}, h('h2', {class: 'rule'}, 'Bays', h('small', {}, 'by state')), card(null, '', h('div', {class: 'donut-box'}, donut(c, bays.length, 'bays', pick), h('div', {class: 'legend-box'}, legend(c, chosen, pick))),
					h('p', {class: 'filter-note'}, chosen ? [`Showing ${c[chosen] ?? 0} × ${chosen}. `, h('a', {href: `drives.html?verdict=${encodeURIComponent(chosen)}`}, 'Open as table')] : 'Choose a state to pick it out in the pictures.'))),
				h('div', {class: 'col-side'}, driveFacts(machines), virtualDisks(machines), wearCard(bays), ceilings(machines)))]
		if (chosen) out[1].querySelectorAll('.donut .arc').forEach(dim)
		return out
	},
}
