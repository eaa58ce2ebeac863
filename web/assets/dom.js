// SPDX-License-Identifier: MIT
// Nodes, words, numbers and times. Text from outside goes in as text nodes and nothing else.

const NS = 'http://www.w3.org/2000/svg'

function put(el, attrs, kids) {
	for (const [k, v] of Object.entries(attrs ?? {})) {
		if (v === null || v === undefined || v === false) continue
		if (k.startsWith('on')) el.addEventListener(k.slice(2), v)
		else el.setAttribute(k, v === true ? '' : v)
	}
	el.append(...kids.flat(9).filter(k => k !== null && k !== undefined && k !== false))
	return el
}
export const h = (tag, attrs, ...kids) => put(document.createElement(tag), attrs, kids)
export const s = (tag, attrs, ...kids) => put(document.createElementNS(NS, tag), attrs, kids)

// Puts new nodes in place of old ones; who had the focus has it again, with the caret where it was.
export function swap(box, ...nodes) {
	const had = box.contains(document.activeElement) ? document.activeElement : null
	const key = had && keyOf(had), caret = had?.selectionStart
	box.replaceChildren(...nodes.flat(9).filter(Boolean))
	if (!key) return
	const to = [...box.querySelectorAll(had.localName)].find(x => keyOf(x) === key)
	to?.focus({preventScroll: true})
	if (caret !== undefined && caret !== null && to?.setSelectionRange) to.setSelectionRange(caret, caret)
}
const keyOf = el => el.id || [el.localName, el.getAttribute('href'), el.getAttribute('aria-label'), el.className.baseVal ?? el.className.split(' ')[0], el.textContent.slice(0, 40)].join('|')

export const say = text => { document.querySelector('#live').textContent = text }
export const vh = text => h('span', {class: 'vh'}, text)
export const card = (title, cls, ...kids) => h('section', {class: `card ${cls}`}, title && h('h2', {}, title), kids)
export const dl = rows => h('dl', {class: 'facts'}, rows.filter(Boolean).map(([k, v, from]) => h('div', {}, h('dt', {}, k), h('dd', {title: from}, v))))
export const copy = text => h('span', {class: 'copy'}, h('code', {}, text), h('button', {type: 'button', 'aria-label': `Copy ${text}`, onclick: async () => {
	try {
		await navigator.clipboard.writeText(text)
		say(`Copied ${text}`)
	} catch {
		say('The browser does not allow copying here')
	}
}}, 'copy'))
export const plural = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`

export function groupBy(list, key) {
	const groups = new Map()
	for (const x of list) groups.set(key(x), [...groups.get(key(x)) ?? [], x])
	return groups
}

// Fills a box with what make() gives for each of a list: some at once, the rest as one scrolls. What was drawn once is
// drawn at once the next time, so that a page does not get shorter under its reader. Returns the line that stands below.
const drawnOf = new Map()
export function portions(name, list, some, box, make) {
	let drawn = 0
	const end = h('p', {class: 'more-rows'})
	const more = n => {
		box.append(...list.slice(drawn, drawn + n).map(make))
		drawn = Math.min(list.length, drawn + n)
		drawnOf.set(name, Math.max(drawn, some))
		end.textContent = drawn < list.length ? `${list.length - drawn} more below` : ''
	}
	more(drawnOf.get(name) ?? some)
	if (drawn < list.length)
		new IntersectionObserver((seen, watch) => {
			if (!end.isConnected || drawn >= list.length) return watch.disconnect()
			if (!seen.at(-1).isIntersecting) return
			more(some)
			watch.unobserve(end)		// it may still be in sight, of which nothing would tell
			watch.observe(end)
		}, {rootMargin: '800px'}).observe(end)
	return end
}

// ---- words and numbers: what is not known is a word, never a number ----

export const BAD = new Set(['degraded-speed', 'degraded-width', 'degraded-both'])
export const FINE = new Set(['ok', 'drive-limited', 'power-saving'])
export const VERDICTS = ['degraded-both', 'degraded-width', 'degraded-speed', 'below-policy', 'unreachable', 'unknown',
	'absent', 'drive-limited', 'power-saving', 'ok', 'not-applicable']
export const known = v => v !== null && v !== undefined
const GEN = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}
export const gen = v => known(v) ? 'Gen' + (GEN[v] ?? '?') : 'Gen?'
export const link = (speed, width) => `${gen(speed)} x${width ?? '?'}`
// bytes a second, one direction, after line coding: 8b/10b to 5 GT/s, 128b/130b to 32, FLITs above
export const rate = (speed, width) => known(speed) && known(width) ? 1e9 * speed * width * (speed <= 5 ? 0.8 : speed <= 32 ? 128 / 130 : 242 / 256) / 8 : null
export const gbs = v => known(v) ? `${(v / 1e9).toFixed(v < 0.95e9 ? 2 : 1)} GB/s` : 'not known'
export const tb = bytes => known(bytes) ? `${(Number(bytes) / 1e12).toFixed(2)} TB` : 'not known'
export const capacity = bytes => bytes >= 1e15 ? `${(bytes / 1e15).toFixed(2)} PB` : `${(bytes / 1e12).toFixed(1)} TB`
export const whole = v => Number(v).toLocaleString('en-GB')
export const percent = v => known(v) ? `${v} %` : 'not reported'

// ---- times: the reader's zone, UTC in the title; ages count on by themselves ----

const fmt = (t, o) => new Intl.DateTimeFormat('en-GB', {hourCycle: 'h23', ...o}).format(new Date(t))
export const day = t => fmt(t, {day: '2-digit', month: 'short', year: 'numeric'})
export const clock = t => fmt(t, {hour: '2-digit', minute: '2-digit'})
export const month = t => fmt(t, {month: 'short', year: 'numeric'})
export const shortDay = t => fmt(t, {day: 'numeric', month: 'short'})
export const utc = t => new Date(t).toISOString().replace('T', ' ').slice(0, 19) + ' UTC'
export const when = (t, show = x => `${day(x)} ${clock(x)}`) => h('time', {datetime: new Date(t).toISOString(), title: utc(t)}, show(t))
export const age = sec => sec < 60 ? `${Math.max(0, Math.round(sec))} s` : sec < 3600 ? `${Math.round(sec / 60)} min` :
	sec < 172800 ? `${Math.round(sec / 3600)} h` : `${Math.round(sec / 86400)} d`
export const secondsSince = t => (Date.now() - new Date(t)) / 1000
export const ago = t => known(t) ? h('time', {datetime: new Date(t).toISOString(), title: utc(t), 'data-age': ' ago'}, `${age(secondsSince(t))} ago`) : 'never'

// when a machine was read last: changes with each round, and is no reason to draw anything anew
const reads = new Map()
export const setRead = (host, t) => { reads.set(host, t) }
export const readAgo = host => h('time', {'data-read': host, 'data-age': ' ago'}, '')
export function tick(root = document) {
	for (const el of root.querySelectorAll('[data-age]')) {
		const t = el.dataset.read === undefined ? el.getAttribute('datetime') : reads.get(el.dataset.read)
		if (!t) { el.textContent = 'never'; continue }
		const text = age(secondsSince(t)) + el.dataset.age
		if (el.dataset.read !== undefined && el.getAttribute('datetime') !== t) { el.setAttribute('datetime', t); el.title = utc(t) }
		if (el.textContent !== text) el.textContent = text
	}
}

// ---- addresses ----

const enc = encodeURIComponent
export const bayUrl = b => `bay.html?host=${enc(b.host)}&bay=${enc(b.bay)}`
export const hostUrl = host => `machine.html?host=${enc(host)}`
// An alert names its bay for those who read it elsewhere; here it stands beside its place.
export const said = a => a.bay !== null && a.message.startsWith(`bay ${a.bay}: `) ? a.message.slice(a.bay.length + 6) : a.message
export const place = b => h('a', {href: bayUrl(b)}, b.host, ' ', h('b', {}, 'bay ' + b.bay))
