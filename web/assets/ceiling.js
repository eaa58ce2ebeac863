// SPDX-License-Identifier: MIT
// What links, uplinks and pools can carry, and a field for a figure: can it be true?

import {h, card, known, plural, gbs, bayUrl, hostUrl, say} from './dom.js'
import {state, ceilingBar, notice} from './parts.js'
import {flowBar} from './flow.js'

const SHAPES = {possible: 'ok', unlikely: 'warning', impossible: 'critical', unknown: 'unknown'}

function asked(query, claim = query.get('claim')) {
	const q = new URLSearchParams(Object.entries({host: query.get('host'), claim}).filter(x => x[1]))
	return q.size ? `ceiling?${q}` : 'ceiling'
}

function claimField(query, change, doc, refused) {
	const field = h('input', {id: 'claim', name: 'claim', type: 'text', value: query.get('claim') ?? '', placeholder: '157 GB/s', autocomplete: 'off', 'aria-describedby': 'claim-help'})
	const claim = doc?.claim
	const judge = e => { e.preventDefault(); change({claim: field.value.trim() || null}) }
	return card('Can this figure be true?', 'claim', h('form', {class: 'tools', onsubmit: judge}, h('span', {class: 'field'}, h('label', {for: 'claim'}, 'Somebody measured'), field), h('button', {class: 'button', type: 'submit'}, 'Judge')),
		h('p', {class: 'sub', id: 'claim-help'}, 'With its unit: GB/s, GiB/s, Gb/s. Above the links it did not come from the drives; below them nothing is proved.'),
		refused && notice('warning', 'Not understood.', refused),
		claim && h('p', {class: 'big-say'}, state(SHAPES[claim.verdict] ?? 'unknown', claim.verdict), ' ', claim.message.replace(/^[a-z]+: /, '')))
}

function driveRows(doc, bays) {
	return doc.drives.map(d => {
		const b = bays.get(`${d.host}/${d.bay}`)
		return h('tr', {}, h('td', {}, h('a', {href: hostUrl(d.host)}, d.host)), h('th', {scope: 'row'}, b ? h('a', {href: bayUrl(b)}, d.bay) : d.bay), h('td', {}, d.controller ?? '–'),
			h('td', {class: 'r'}, known(d.ceiling_bytes_per_second) ? gbs(d.ceiling_bytes_per_second) : b?.verdict === 'not-applicable' ? 'no PCIe link' : 'not known'), h('td', {class: 'c-flow'}, b ? flowBar(b) : '–'))
	})
}

export default {
	title: () => 'Ceiling',
	needs: () => ['bays', 'alerts'],
	async more({ask, query}) {
		try { return {doc: await ask(asked(query)), refused: null} } catch (e) {
			if (!query.get('claim')) throw e
			return {doc: await ask(asked(query, null)), refused: e.message}
		}
	},
	draw({machines, query, change, extra}) {
		const doc = extra?.doc, bays = new Map(machines.flatMap(m => [...m.bays, ...m.boot]).map(b => [`${b.host}/${b.bay}`, b])), host = query.get('host')
		if (!doc) return [h('h1', {}, 'Ceiling'), notice('unknown', 'Not known.', 'The agent did not say what the links carry.')]
		const lit = doc.drives.filter(d => known(d.ceiling_bytes_per_second)), sum = doc.ceiling_bytes_per_second
		const choose = h('span', {class: 'field'}, h('label', {for: 'of'}, 'Machine'), h('select', {id: 'of', onchange: e => change({host: e.target.value || null})}, h('option', {value: ''}, 'all together'), machines.filter(m => m.bays.some(b => b.drive)).map(m => h('option', {value: m.host, selected: m.host === host}, m.host))))
		return [h('div', {class: 'lead'}, h('h1', {}, 'Ceiling'), h('p', {class: 'sentence'}, known(sum) ? [h('b', {}, gbs(sum)), ` is what the links of ${plural(lit.length, 'drive')} carry together at most.`] : `What all links carry together is not known: ${plural(doc.drives.length - lit.length, 'drive')} of ${doc.drives.length} without a known link.`)),
			h('div', {class: 'tools'}, choose), claimField(query, t => { change(t); say('') }, doc, extra.refused),
			doc.uplinks.length > 0 && card('Shared uplinks', 'ceil', doc.uplinks.map(u => [h('p', {}, `${u.at}, shared by ${plural(u.shared_by.length, 'bay')}`), known(u.ceiling_bytes_per_second) ? ceilingBar(u.ceiling_bytes_per_second, u.drives_bytes_per_second) : h('p', {class: 'sub'}, 'not known')])),
			doc.pools.length > 0 && card('Pools', 'pool', h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, ['pool', 'reads at most', 'writes at most'].map((t, i) => h('th', {scope: 'col', class: i ? 'r' : null}, t)))), h('tbody', {}, doc.pools.map(p => h('tr', {}, h('th', {scope: 'row'}, p.pool), [p.read_ceiling_bytes_per_second, p.write_ceiling_bytes_per_second].map(v => h('td', {class: 'r'}, known(v) ? gbs(v) : 'not known'))))))),
			card('Drives', 'carriers', h('div', {class: 'scroll', role: 'region', 'aria-label': 'Drives', tabindex: 0}, h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, ['machine', 'bay', 'drive', 'link carries', 'moves now'].map((t, i) => h('th', {scope: 'col', class: i === 3 ? 'r' : null}, t)))), h('tbody', {}, driveRows(doc, bays)))))]
	},
}
