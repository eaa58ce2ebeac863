// SPDX-License-Identifier: MIT
// Every bay of every machine as a table: search, filters and order stand in the address.

import {h, portions, known, BAD, VERDICTS, tb, hostUrl, bayUrl, readAgo} from './dom.js'
import {state, lanes, wearBar, legend, mark} from './parts.js'
import {speedText, shortOf} from './panel.js'
import {count} from './overview.js'

const SOME = 100		// rows drawn at once; more as one scrolls
const natural = new Intl.Collator('en', {numeric: true}).compare
const COLUMNS = [
	['verdict', 'State', b => VERDICTS.indexOf(b.verdict)], ['host', 'Machine', b => b.host], ['bay', 'Bay', b => b.bay], ['link', 'Link', b => b.link?.bandwidth_bytes_per_second],
	['model', 'Model', b => b.drive?.model], ['serial', 'Serial', b => b.drive?.serial], ['size', 'Capacity', b => b.drive?.capacity_bytes, 'r'], ['wear', 'Wear', b => b.wear?.percent_used, 'r'],
	['temp', 'Temperature', b => b.temperature_celsius, 'r'], ['fw', 'Firmware', b => b.drive?.firmware], ['age', 'Read', b => b.observed_at, 'r'],
]

// What is not known stands last, whichever way one sorts.
function order(value, down) {
	return (a, b) => {
		const x = value(a), y = value(b)
		if (!known(x) || !known(y)) return known(y) - known(x)
		return (typeof x === 'number' ? x - y : natural(x, y)) * (down ? -1 : 1) || natural(a.host, b.host) || natural(a.bay, b.bay)
	}
}

function cells(b) {
	const d = b.drive
	return [h('td', {class: 'c-state'}, state(b.verdict)), h('td', {class: 'c-host'}, h('a', {href: hostUrl(b.host)}, b.host)), h('th', {scope: 'row', class: 'c-bay'}, h('a', {href: bayUrl(b)}, b.bay)),
		h('td', {class: `c-link v-${b.verdict}`}, b.link && d ? [lanes(b, {w: 26, hgt: 14}), h('span', {}, speedText(b), shortOf(b) && h('small', {}, ` of ${shortOf(b)}`))] : '–'), h('td', {class: 'c-model'}, d?.model ?? '–'),
		h('td', {class: 'c-serial'}, d?.serial ? h('code', {}, d.serial) : '–'), h('td', {class: 'r c-size'}, d && known(d.capacity_bytes) ? tb(d.capacity_bytes) : '–'),
		h('td', {class: 'r c-wear'}, !d ? '–' : known(b.wear?.percent_used) ? [wearBar(b.wear.percent_used, {long: 48}), h('span', {}, `${b.wear.percent_used} %`)] : 'not reported'),
		h('td', {class: 'r c-temp'}, known(b.temperature_celsius) ? `${b.temperature_celsius} °C` : '–'), h('td', {class: 'c-fw'}, d?.firmware ?? '–'), h('td', {class: 'r c-age'}, b.stale && mark('stale'), readAgo(`${b.host}/${b.bay}`))]
}

const fits = (b, {verdict, host, q}) => (!verdict || b.verdict === verdict || (verdict === 'degraded' && BAD.has(b.verdict))) && (!host || b.host === host) &&
	(!q || [b.host, b.location, b.drive?.serial, b.drive?.model, b.drive?.firmware].join(' ').toLowerCase().includes(q))

function body(list, columns) {
	const rows = h('tbody'), end = portions('drives', list, SOME, rows, b => h('tr', {class: b.stale ? 'stale' : null}, cells(b)))
	if (!list.length) rows.append(h('tr', {}, h('td', {colspan: columns, class: 'empty'}, 'No bay fits. ', h('a', {href: 'drives.html'}, 'Clear the filters'))))
	return [rows, end]
}

export default {
	title: () => 'Drives',
	needs: () => ['bays', 'alerts'],
	draw({machines, query, change}) {
		const bays = machines.flatMap(m => [...m.bays, ...m.boot]), want = {verdict: query.get('verdict'), host: query.get('host'), q: (query.get('q') ?? '').toLowerCase()}
		const column = COLUMNS.find(c => c[0] === query.get('sort')) ?? COLUMNS[0], down = query.get('dir') === 'down'
		const list = bays.filter(b => fits(b, want)).sort(order(column[2], down)), [rows, end] = body(list, COLUMNS.length)
		const sort = key => change({sort: key, dir: key === column[0] && !down ? 'down' : null})
		const asked = new URLSearchParams()
		if (want.verdict) asked.set('verdict', want.verdict === 'degraded' ? 'degraded-*' : want.verdict)
		if (want.host) asked.set('host', want.host)
		const suffix = asked.size ? `?${asked}` : ''
		return [h('div', {class: 'lead'}, h('h1', {}, 'Drives'), h('p', {class: 'sub'}, 'Every bay of every machine. Filters and order stay in the address.')),
			h('div', {class: 'tools'}, h('span', {class: 'field grow'}, h('label', {for: 'q'}, 'Search', h('kbd', {}, '/')), h('input', {type: 'search', id: 'q', placeholder: 'Serial, model, machine …', value: query.get('q') ?? '', 'aria-keyshortcuts': '/', autocomplete: 'off',
				oninput: e => change({q: e.target.value || null}), onkeydown: e => { if (e.key === 'Escape' && e.target.value) { e.stopPropagation(); e.preventDefault(); change({q: null}) } }})),
			h('span', {class: 'field'}, h('label', {for: 'host'}, 'Machine'), h('select', {id: 'host', onchange: e => change({host: e.target.value || null})}, h('option', {value: ''}, 'all machines'), machines.map(m => h('option', {selected: want.host === m.host}, m.host)))),
			h('p', {class: 'count', role: 'status'}, `${list.length} of ${bays.length} bays`),
			h('span', {class: 'out'}, h('a', {class: 'button', href: `api/v1/bays.csv${suffix}`}, 'CSV'), h('a', {class: 'button', href: `api/v1/bays${suffix}`}, 'JSON'))),
			h('div', {class: 'legend-box row'}, legend(count(bays), want.verdict, v => change({verdict: want.verdict === v ? null : v}))),
			h('div', {class: 'table-box'}, h('table', {class: 'drives'}, h('caption', {class: 'vh'}, 'Drives'), h('thead', {}, h('tr', {}, COLUMNS.map(([k, text, , cls]) =>
				h('th', {scope: 'col', class: cls, 'aria-sort': k === column[0] ? down ? 'descending' : 'ascending' : null}, h('button', {type: 'button', onclick: () => sort(k)}, text, h('span', {'aria-hidden': 'true', class: 'dir'}, k === column[0] ? down ? '▼' : '▲' : '')))))), rows)), end]
	},
}
