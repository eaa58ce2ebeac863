// SPDX-License-Identifier: MIT
// What the agent says: asked for when a page opens and again whenever the stream tells of a round.
// While the agent is away the last answer stays, and its age is told.

import {setRead, known, groupBy} from './dom.js'

const RETRY_MS = 5000
const NO_ETAG = {cache: 'no-cache'}

export class Refused extends Error {}
export class Starting extends Error {}		// nothing was read yet

// A reply without what says only when and how long things were read: as text, which is quick for thousands of drives.
const texts = new WeakMap(), WHEN = /"(?:observed_at|collected_at|last_seen|requests|duration_ms|polls_since)": ?(?:"[^"]*"|[\d.]+|null)/g
export const essenceOf = doc => doc ? texts.get(doc).replace(WHEN, '') : ''

export async function ask(path) {
	const reply = await fetch(`api/v1/${path}`, NO_ETAG)
	if (reply.ok) {
		const text = await reply.text(), doc = JSON.parse(text)
		texts.set(doc, text)
		return doc
	}
	let why = `${path}: status ${reply.status}`, title = null
	try { ({detail: why = why, title = null} = await reply.json()) } catch { /* no problem document: the status says it */ }
	if (title === 'Starting') throw new Starting(why)
	if (reply.status >= 500) throw new Error(why)
	throw new Refused(why)
}

// Calls changed() after each round and gone(true or false) when the agent goes away and comes back.
export function follow(changed, gone) {
	let timer = null
	const poll = () => { timer ??= setInterval(changed, RETRY_MS) }
	const calm = () => { clearInterval(timer); timer = null }
	const open = () => {
		const stream = new EventSource('api/v1/stream')
		stream.addEventListener('changed', () => { calm(); changed() })
		stream.onerror = () => {
			// a stream that is refused (too many pages are open) stays closed: ask now and then instead
			if (stream.readyState === EventSource.CLOSED) poll()
			else gone(true)
		}
		addEventListener('pagehide', () => { stream.close(); calm() })
		addEventListener('pageshow', e => { if (e.persisted) open() }, {once: true})
	}
	open()
}

// ---- what a page asks for: of thousands of bays only what it shows, of one machine all ----

const members = (name, ...list) => list.map(x => `${name}.${x}`)
const SHOWN = ['host', 'target', 'bay', 'role', 'verdict', 'message', 'stale', 'expected', 'observed_at', 'temperature_celsius',
	...members('policy', 'speed_gts', 'width'),
	...members('link', 'speed_gts', 'width', 'max_speed_gts', 'max_width', 'bandwidth_bytes_per_second', 'max_bandwidth_bytes_per_second'),
	...members('link.slot', 'max_speed_gts', 'max_width'),
	...members('wear', 'percent_used', 'forecast.exhausted_on'),
	...members('drive', 'model', 'serial', 'protocol', 'media_type', 'form_factor', 'capacity_bytes', 'uses')]
export const allBays = (...more) => `bays?fields=${[...SHOWN, ...more].join()}`
export const baysOf = host => host ? `bays?host=${encodeURIComponent(host)}` : allBays()

// ---- machines: the bays of a host and what stands beside them ----

const boot = b => b.role === 'boot'

export function machinesOf(doc, alerts) {
	const hosts = new Map()
	const machine = host => {
		if (!hosts.has(host)) hosts.set(host, {host, bays: [], boot: [], targets: [], hops: [], pools: [], hints: [], notes: [], alerts: []})
		return hosts.get(host)
	}
	const hostOf = new Map(doc.targets.map(t => [t.name, t.host ?? t.name]))
	const at = target => machine(hostOf.get(target) ?? target)
	for (const t of doc.targets) machine(t.host ?? t.name).targets.push(t)
	for (const b of doc.bays) {
		const m = machine(b.host ?? b.target)
		;(boot(b) ? m.boot : m.bays).push(b)
	}
	for (const p of doc.path) if (p.verdict.startsWith('degraded')) (p.host ? machine(p.host) : at(p.target)).hops.push(p)
	for (const p of doc.pools) at(p.target).pools.push(p)
	for (const x of doc.hints) at(x.target).hints.push(x)
	for (const x of doc.notes) at(x.target).notes.push(x)
	for (const a of alerts) if (a.state !== 'resolved') machine(a.host ?? a.target).alerts.push(a)
	for (const m of hosts.values()) finish(m, doc)
	return [...hosts.values()]
}

function finish(m, doc) {
	const told = key => m.targets.map(t => t[key]).find(known) ?? null
	const newest = list => list.filter(Boolean).sort().at(-1) ?? null
	const silent = m.targets.filter(t => t.verdict === 'unreachable')
	m.product = [told('vendor'), told('product')].filter(Boolean).join(' ') || null
	m.firmware = told('firmware')
	m.power = told('power')
	m.stale = m.targets.length > 0 && silent.length === m.targets.length
	m.silent = silent
	m.read = newest(m.bays.map(b => b.observed_at)) ?? newest(m.targets.filter(t => t.verdict === 'ok').map(t => t.observed_at))
	m.layout = doc.layouts?.[m.host] ?? layoutOf(m)
	setRead(m.host, m.read)
	for (const b of [...m.bays, ...m.boot]) {
		b.alerts = m.alerts.filter(a => a.bay === b.bay)
		b.hot = b.alerts.some(a => a.kind === 'temperature')
		setRead(`${m.host}/${b.bay}`, b.observed_at)
	}
}

// ---- layouts: how the bays of a machine lie. A new chassis is a row here, or a layout in the document ----

const run = (from, to) => Array.from({length: to - from + 1}, (_, i) => String(from + i))
const group = (kind, columns, bays, label = null) => ({kind, columns, bays, label})
const KNOWN = [
	{fits: (m, n) => n === 24 && /R7725xd|R7[67]\d\dxd|R7[56]\d(xs|xd)?/i.test(m.product ?? ''), view: 'front', units: '2U',
		groups: m => m.bays.some(b => b.bay === '0') ? [[0, 7], [8, 15], [16, 23]].map(([a, z]) => group('tall', 8, run(a, z), `${a}–${z}`)) : null},
	{fits: (m, n) => n === 10 && /R6[56]\d/i.test(m.product ?? ''), view: 'front', units: '1U', groups: m => [group('flat', 5, m.bays.map(b => b.bay))]},
]

function layoutOf(m) {
	const names = m.bays.map(b => b.bay)
	for (const k of KNOWN) {
		const groups = names.length > 0 && k.fits(m, names.length) && k.groups(m)
		if (groups && groups.flatMap(g => g.bays).sort().join() === [...names].sort().join()) return {view: k.view, units: k.units, groups}
	}
	// cards: names like 5-1, 5-2, 6-1 stand in groups by what is before the dash
	const cards = groupBy(names, n => /^(.+)-\d+$/.exec(n)?.[1] ?? '')
	if (names.length > 1 && !cards.has('') && cards.size < names.length)
		return {view: 'cards', units: null, groups: [...cards].map(([label, list]) => group('stick', 1, list, label))}
	if (names.some(n => n.length > 8)) return {view: 'bays', units: null, groups: [group('stick', 2, names)]}
	if (names.length > 24) return {view: 'bays', units: null, groups: [group('puck', 12, names)]}
	const cages = Math.ceil(names.length / 8), each = Math.ceil(names.length / cages)
	return {view: 'bays', units: null, groups: run(0, cages - 1).map(i => group('tall', each, names.slice(i * each, (+i + 1) * each)))}
}
