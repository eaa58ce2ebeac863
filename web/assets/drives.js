// SPDX-License-Identifier: MIT
// Every bay of every machine as a table: search, filters and order stand in the address.

import {h, portions, known, BAD, VERDICTS, tb, whole, hostUrl, bayUrl, readAgo} from './dom.js'
import {allBays} from './data.js'
import {state, lanes, wearBar, legend, mark} from './parts.js'
import {speedText, shortOf} from './panel.js'
import {count} from './overview.js'

const SOME = 25		// rows drawn at once; more as one scrolls

// "m9" stands before "m10". What a name is compared by is made once: thousands of rows are compared, and Intl.Collator takes its time.
const sortable = new Map()
function sortKey(name) {
	if (!sortable.has(name)) sortable.set(name, String(name).toLowerCase().replace(/\d+/g, n => n.padStart(20, '0')))
	return sortable.get(name)
}
function natural(x, y) {
	const a = sortKey(x), b = sortKey(y)
	return a < b ? -1 : a > b ? 1 : 0
}

const plain = v => known(v) ? String(v) : '–'
const linkCell = b => b.link && b.drive ? [lanes(b, {w: 26, hgt: 14}), h('span', {}, speedText(b), shortOf(b) && h('small', {}, ` of ${shortOf(b)}`))] : '–'
const wearCell = b => !b.drive ? '–' : known(b.wear?.percent_used) ? [wearBar(b.wear.percent_used, {long: 48}), h('span', {}, `${b.wear.percent_used} %`)] : 'not reported'
const sized = v => known(v) ? tb(v) : '–'
const text = value => [value, b => plain(value(b))], figure = (value, unit) => [value, b => known(value(b)) ? `${whole(value(b))}${unit}` : '–', 'r']

// key in the address, head, what is sorted by, what is shown, class. The others are shown where they are chosen.
const column = (key, head, [value, cell, cls = '']) => ({key, head, value, cell, cls})
const COLUMNS = [
	column('verdict', 'State', [b => VERDICTS.indexOf(b.verdict), b => state(b.verdict), 'c-state']), column('host', 'Machine', [b => b.host, b => h('a', {href: hostUrl(b.host)}, b.host), 'c-host']),
	column('bay', 'Bay', [b => b.bay, b => h('a', {href: bayUrl(b)}, b.bay), 'c-bay']), column('link', 'Link', [b => b.link?.bandwidth_bytes_per_second, linkCell, 'c-link']),
	column('model', 'Model', [b => b.drive?.model, b => plain(b.drive?.model), 'c-model']), column('serial', 'Serial', [b => b.drive?.serial, b => b.drive?.serial ? h('code', {}, b.drive.serial) : '–', 'c-serial']),
	column('size', 'Capacity', [b => b.drive?.capacity_bytes, b => sized(b.drive?.capacity_bytes), 'r c-size']), column('wear', 'Wear', [b => b.wear?.percent_used, wearCell, 'r c-wear']),
	column('temp', 'Temperature', [b => b.temperature_celsius, b => known(b.temperature_celsius) ? `${b.temperature_celsius} °C` : '–', 'r c-temp']), column('fw', 'Firmware', [b => b.drive?.firmware, b => plain(b.drive?.firmware), 'c-fw']),
	column('age', 'Read', [b => b.observed_at, b => [b.stale && mark('stale'), readAgo(`${b.host}/${b.bay}`)], 'r c-age']),
]
const OTHERS = [
	column('location', 'Location', text(b => b.location)), column('role', 'Role', text(b => b.role)), column('maker', 'Maker', text(b => b.drive?.manufacturer)), column('part', 'Part number', text(b => b.drive?.part_number)), column('protocol', 'Protocol', text(b => b.drive?.protocol)),
	column('media', 'Medium', text(b => b.drive?.media_type)), column('form', 'Form', text(b => b.drive?.form_factor)), column('pci', 'PCI address', text(b => b.drive?.pci_address)), column('spare', 'Spare', figure(b => b.wear?.available_spare_percent, ' %')),
	column('written', 'Written', [b => b.wear?.bytes_written, b => sized(b.wear?.bytes_written), 'r']), column('hours', 'Power on', figure(b => b.health?.power_on_hours, ' h')), column('errors', 'Media errors', figure(b => b.health?.media_errors, '')),
	column('health', 'Health', text(b => b.health?.status)), column('limited', 'Limited by', text(b => b.limited_by)),
]
// what the API calls them, so that CSV and JSON stand as the table does
const API = {verdict: 'verdict', host: 'host', bay: 'bay', link: 'bandwidth_bytes_per_second', model: 'model', serial: 'serial', size: 'capacity_bytes', wear: 'percent_used', temp: 'temperature_celsius', fw: 'firmware', age: 'observed_at', location: 'location', role: 'role',
	maker: 'manufacturer', part: 'part_number', protocol: 'protocol', media: 'media_type', form: 'form_factor', pci: 'pci_address', spare: 'available_spare_percent', written: 'bytes_written', hours: 'power_on_hours', errors: 'media_errors', health: 'health', limited: 'limited_by'}
const ALL = [...COLUMNS, ...OTHERS], STANDING = COLUMNS.map(c => c.key)
const chosenOf = query => query.has('cols') ? ALL.filter(c => c.key === 'bay' || query.get('cols').split(',').includes(c.key)) : null

// What is not known stands last, whichever way one sorts; equals stand by machine and bay.
const ordered = new WeakMap()		// the bays of a reading by machine and bay, which takes longest
function inOrder(machines) {
	if (!ordered.has(machines)) ordered.set(machines, machines.flatMap(m => [...m.bays, ...m.boot]).sort((a, b) => natural(a.host, b.host) || natural(a.bay, b.bay)))
	return ordered.get(machines)
}
function order(value, down) {
	return (a, b) => {
		const x = value(a), y = value(b)
		if (!known(x) || !known(y)) return known(y) - known(x)
		return x === y ? 0 : (typeof x === 'number' ? x - y : natural(x, y)) * (down ? -1 : 1)
	}
}

const cells = (b, columns) => columns.map(c => h(c.key === 'bay' ? 'th' : 'td', {scope: c.key === 'bay' ? 'row' : null, class: `${c.cls}${c.key === 'link' ? ` v-${b.verdict}` : ''}`, 'data-head': c.head}, c.cell(b)))

const words = new WeakMap()		// what a bay is searched by
function wordsOf(b) {
	if (!words.has(b)) words.set(b, [b.host, b.location, b.drive?.serial, b.drive?.model, b.drive?.firmware].join(' ').toLowerCase())
	return words.get(b)
}
const fits = (b, {verdict, host, q}) => (!verdict || b.verdict === verdict || (verdict === 'degraded' && BAD.has(b.verdict))) && (!host || b.host === host) && (!q || wordsOf(b).includes(q))

// Which columns: kept in the address; without a choice as many as there is room for.
let picking = false
function picker(chosen, change) {
	const shown = new Set(chosen ? chosen.map(c => c.key) : STANDING)
	const pick = (key, on) => change({cols: ALL.map(c => c.key).filter(k => k === key ? on : shown.has(k)).join(',')})
	return h('details', {class: 'columns', open: picking, ontoggle: e => { picking = e.target.open }, onkeydown: e => { if (e.key === 'Escape' && picking) { e.stopPropagation(); e.preventDefault(); e.currentTarget.open = false; e.currentTarget.firstChild.focus() } }},
		h('summary', {class: 'button', id: 'columns'}, 'Columns'),
		h('fieldset', {}, h('legend', {}, 'Columns shown'), ALL.filter(c => c.key !== 'bay').map(c => h('label', {}, h('input', {type: 'checkbox', id: `col-${c.key}`, checked: shown.has(c.key), onchange: e => pick(c.key, e.target.checked)}), c.head)),
			h('button', {type: 'button', class: 'button', id: 'col-auto', onclick: () => change({cols: null})}, 'As many as fit')))
}

function body(list, columns) {
	const rows = h('tbody'), end = portions('drives', list, SOME, rows, b => h('tr', {class: b.stale ? 'stale' : null}, cells(b, columns)))
	if (!list.length) rows.append(h('tr', {}, h('td', {colspan: columns.length, class: 'empty'}, 'No bay fits. ', h('a', {href: 'drives.html'}, 'Clear the filters'))))
	return [rows, end]
}

export default {
	title: () => 'Drives',
	needs: () => [allBays('location', 'limited_by', 'health.status', 'health.media_errors', 'health.power_on_hours', 'wear.available_spare_percent', 'wear.bytes_written',
		'drive.manufacturer', 'drive.part_number', 'drive.firmware', 'drive.pci_address'), 'alerts'],
	draw({machines, query, change}) {
		const bays = inOrder(machines), want = {verdict: query.get('verdict'), host: query.get('host'), q: (query.get('q') ?? '').toLowerCase()}
		const by = ALL.find(c => c.key === query.get('sort')) ?? COLUMNS[0], down = query.get('dir') === 'down', chosen = chosenOf(query), columns = chosen ?? COLUMNS
		const list = bays.filter(b => fits(b, want)).sort(order(by.value, down)), [rows, end] = body(list, columns)
		const sort = key => change({sort: key, dir: key === by.key && !down ? 'down' : null})
		const asked = new URLSearchParams()
		if (want.verdict) asked.set('verdict', want.verdict === 'degraded' ? 'degraded-*' : want.verdict)
		if (want.host) asked.set('host', want.host)
		if (want.q) asked.set('q', query.get('q'))
		if (by !== COLUMNS[0] || down) asked.set('sort', (down ? '-' : '') + API[by.key])
		const suffix = asked.size ? `?${asked}` : ''
		return [h('div', {class: 'lead'}, h('h1', {}, 'Drives'), h('p', {class: 'sub'}, 'Every bay of every machine. Filters and order stay in the address.')),
			h('div', {class: 'tools'}, h('span', {class: 'field grow'}, h('label', {for: 'q'}, 'Search', h('kbd', {}, '/')), h('input', {type: 'search', id: 'q', placeholder: 'Serial, model, machine …', value: query.get('q') ?? '', 'aria-keyshortcuts': '/', autocomplete: 'off',
				oninput: e => change({q: e.target.value || null}), onkeydown: e => { if (e.key === 'Escape' && e.target.value) { e.stopPropagation(); e.preventDefault(); change({q: null}) } }})),
			h('span', {class: 'field'}, h('label', {for: 'host'}, 'Machine'), h('select', {id: 'host', onchange: e => change({host: e.target.value || null})}, h('option', {value: ''}, 'all machines'), machines.map(m => h('option', {selected: want.host === m.host}, m.host)))),
			h('p', {class: 'count', role: 'status'}, `${list.length} of ${bays.length} bays`),
			h('span', {class: 'out'}, h('a', {class: 'button', href: `api/v1/bays.csv${suffix}`}, 'CSV'), h('a', {class: 'button', href: `api/v1/bays${suffix}`}, 'JSON'))),
			h('div', {class: 'legend-box row'}, legend(count(bays), want.verdict, v => change({verdict: want.verdict === v ? null : v}))),
			picker(chosen, change),
			h('div', {class: chosen ? 'table-box scroll' : 'table-box', ...chosen && {role: 'region', 'aria-label': 'Drives', tabindex: 0}}, h('table', {class: chosen ? 'drives chosen' : 'drives'}, h('caption', {class: 'vh'}, 'Drives'), h('thead', {}, h('tr', {}, columns.map(c =>
				h('th', {scope: 'col', class: c.cls, 'aria-sort': c === by ? down ? 'descending' : 'ascending' : null}, h('button', {type: 'button', onclick: () => sort(c.key)}, c.head, h('span', {'aria-hidden': 'true', class: 'dir'}, c === by ? down ? '▼' : '▲' : '')))))), rows)), end]
	},
}
