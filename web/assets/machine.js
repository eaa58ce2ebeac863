// SPDX-License-Identifier: MIT
// One machine: what is not as expected in a sentence each, its front panel, and what stands beside the bays.

import {h, card, known, said, plural, VERDICTS, gbs, bayUrl, readAgo, age, secondsSince} from './dom.js'
import {mark, state, ceilingBar, compare, notice, crumbs} from './parts.js'
import {baysOf} from './data.js'
import {panel, tile} from './panel.js'
import {count, exceptions, standing, feed, linkSums} from './overview.js'

function inspector(b) {
	const facts = b.drive && [b.drive.model, b.drive.serial && `S/N ${b.drive.serial}`, b.drive.firmware && `firmware ${b.drive.firmware}`,
		known(b.wear?.percent_used) && `wear ${b.wear.percent_used} %`, known(b.temperature_celsius) && `${b.temperature_celsius} °C`, b.stale && `values are ${age(secondsSince(b.observed_at))} old`]
	return h('div', {class: `inspect v-${b.verdict}`}, h('p', {class: 'big'}, h('a', {href: bayUrl(b), tabindex: -1}, h('b', {}, `Bay ${b.bay}`)), state(b.verdict), h('span', {}, b.message)),
		facts && h('p', {class: 'sub'}, facts.filter(Boolean).join(' · ')))
}

function front(m) {
	const note = h('div', {class: 'inspector'}), picture = panel(m), by = new Map(m.bays.map(b => [b.bay, b]))
	const show = e => { const b = by.get(e.target.closest('.bay')?.dataset.bay); if (b) note.replaceChildren(inspector(b)) }
	picture.addEventListener('focusin', show)
	picture.addEventListener('mouseover', show)
	note.append(inspector(exceptions(m)[0] ?? m.bays[0]))
	const view = m.layout.view[0].toUpperCase() + m.layout.view.slice(1)
	return h('section', {class: 'card front'}, h('h2', {}, view, h('small', {}, [m.layout.units, 'as printed on the chassis'].filter(Boolean).join(', ')),
		h('span', {class: 'keys'}, h('kbd', {}, '←'), h('kbd', {}, '→'), ' move ', h('kbd', {}, 'n'), ' next that is not ok ', h('kbd', {}, 'Enter'), ' open')), picture, note)
}

function findings(m) {
	const odd = exceptions(m), more = odd.length - 6
	const line = (cls, head, st, text) => h('li', {class: `v-${cls}`}, head, st, h('span', {}, text))
	const bay = b => h('a', {href: bayUrl(b)}, h('b', {}, `Bay ${b.bay}`))
	const lines = [m.hops.map(p => line(p.verdict, h('b', {}, `Uplink ${p.at}`), state(p.verdict), p.message)), odd.slice(0, 6).map(b => line(b.verdict, bay(b), state(b.verdict), b.message)),
		standing(m).map(a => line(a.severity, bay(a), state(a.severity, a.kind), said(a))), more > 0 && h('li', {class: 'more'}, h('a', {href: `drives.html?host=${encodeURIComponent(m.host)}`}, `and ${more} more`))].flat(2).filter(Boolean)
	return lines.length ? h('ul', {class: 'findlist'}, lines) : null
}

const vdevLine = v => h('tr', {}, h('th', {scope: 'row'}, v.name), h('td', {}, v.members.join(', ')), h('td', {}, v.slowest ?? '–'), h('td', {class: 'r'}, known(v.ceiling_bytes_per_second) ? gbs(v.ceiling_bytes_per_second) : 'not known'))
const poolCard = p => card(`Pool ${p.pool}`, 'pool', h('p', {class: 'sub'}, state(p.health === 'ONLINE' ? 'ok' : 'below-policy', p.health ?? 'health not known'), ` · ${plural(p.vdevs.length, 'vdev')}`),
	known(p.write_ceiling_bytes_per_second) && h('p', {class: 'sub'}, `its links let it write ${gbs(p.write_ceiling_bytes_per_second)}`),
	h('div', {class: 'scroll', role: 'region', 'aria-label': `Vdevs of ${p.pool}`, tabindex: 0}, h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, ['vdev', 'members', 'slowest', 'ceiling'].map((t, i) => h('th', {scope: 'col', class: i > 2 ? 'r' : null}, t)))), h('tbody', {}, p.vdevs.map(vdevLine)))), h('p', {class: 'more'}, h('a', {href: 'pools.html'}, 'All members')))

function carries(m) {
	const sums = linkSums(m.bays), dark = m.bays.filter(b => b.drive && b.link && !known(b.link.bandwidth_bytes_per_second)).length
	return sums ? card('What the links carry together', 'ceil', ceilingBar(sums.now, sums.healthy), dark > 0 && h('p', {class: 'sub'}, `Without ${plural(dark, 'drive')} whose link is not known.`)) : null
}

export default {
	title: ({query}) => query.get('host') ?? 'Machine',
	needs: query => [baysOf(query.get('host')), 'alerts', `events?limit=40&host=${encodeURIComponent(query.get('host') ?? '')}`],
	parent: () => 'index.html',
	draw({machines, events, query}) {
		const m = machines.find(x => x.host === query.get('host'))
		if (!m) return [crumbs(['Overview', 'index.html'], ['?']), h('h1', {}, 'No such machine'), notice('unknown', `Nothing is known of “${query.get('host') ?? ''}”.`, 'It may have been taken out of the configuration.')]
		const c = count(m.bays), enc = encodeURIComponent(m.host)
		return [crumbs(['Overview', 'index.html'], [m.host]),
			h('div', {class: 'lead machine-lead'}, h('div', {}, h('h1', {}, m.host), h('p', {class: 'sub'}, [m.product, m.firmware && `firmware ${m.firmware}`, `power ${m.power ?? 'not reported'}`].filter(Boolean).join(' · '), ' · read ', readAgo(m.host))),
				h('div', {class: 'chips'}, VERDICTS.filter(v => c[v]).map(v => h('span', {class: `chip v-${v}`}, mark(v), h('b', {}, String(c[v])), ' ', v))),
				h('p', {class: 'actions'}, h('a', {class: 'button', href: `report.html?host=${enc}`}, 'Report'), h('a', {class: 'button', href: `drives.html?host=${enc}`}, 'Table'), h('a', {class: 'button', href: `ceiling.html?host=${enc}`}, 'Ceiling'))),
			m.stale && notice('unreachable', 'This machine does not answer.', `Everything below is what it said last. ${m.silent.map(t => t.message ?? t.reason).filter(Boolean).join('; ')}`),
			!m.stale && m.silent.map(t => notice('warning', `${t.name} does not answer.`, t.message ?? '')),
			findings(m), m.bays.length ? front(m) : notice('unknown', 'No bay is told of.', m.targets.map(t => t.message).filter(Boolean).join('; ')),
			h('div', {class: 'three'},
				m.boot.length > 0 && card('Boot drives', 'boot', h('p', {class: 'sub'}, 'Counted apart from the data bays.'), h('div', {class: 'panel loose'}, h('div', {class: 'group stick c1'}, h('div', {class: 'slots'}, m.boot.map(b => { const t = tile(b, 'stick'); t.tabIndex = 0; return t }))))),
				m.pools.map(poolCard), carries(m),
				m.hints.map(x => card(`Hint: ${x.code}`, 'hint', h('p', {}, x.message))),
				m.notes.length > 0 && card('Notes', 'hint', h('ul', {class: 'standing'}, m.notes.map(x => h('li', {}, h('b', {}, x.code), x.bay && h('a', {href: bayUrl({host: m.host, bay: x.bay})}, `bay ${x.bay}`), h('span', {}, x.message))))),
				m.bays.some(b => b.drive) && card('Alike drives compared', 'alike', compare(m.bays, 'Temperature', '°C', b => b.temperature_celsius, bayUrl), compare(m.bays, 'Wear', '%', b => b.wear?.percent_used, bayUrl)),
				card('Events here', 'here', feed(events, 'Nothing yet.'), h('p', {class: 'more'}, h('a', {href: `events.html?host=${enc}`}, 'All events of this machine'))))]
	},
}
