// SPDX-License-Identifier: MIT
// The shell: which page this is, what it needs, keys, theme, and drawing again when the agent tells of a round.

import {h, swap, say, tick, clock, setRead} from './dom.js'
import {patterns, notice} from './parts.js'
import {ask, essenceOf, follow, machinesOf, Refused, Starting} from './data.js'

// each page's file, fetched by the page that it is
const PAGES = {index: 'overview', machine: 'machine', bay: 'bay', drives: 'drives', alerts: 'lists', events: 'lists', targets: 'lists', wall: 'wall', pools: 'pools', ceiling: 'ceiling'}
const GO = {o: 'index', d: 'drives', a: 'alerts', e: 'events', t: 'targets', w: 'wall', p: 'pools', c: 'ceiling'}
const GONE_GREY_MS = 120e3
const PAUSE = 4			// times what a reading took, before the next: hundreds of machines change all the time
const name = /([a-z]+)\.html$/.exec(location.pathname)?.[1] ?? 'index'
const module = await import(`./${PAGES[name] ?? 'overview'}.js`), page = module[name] ?? module.default
const main = document.querySelector('#main'), fresh = document.querySelector('#fresh'), goneBox = document.querySelector('#gone')
let query = new URLSearchParams(location.search)
let have = null			// what the page was drawn from
let signature = '', goneSince = null, readAt = null, busy = false, again = false, later = null, restUntil = 0, wallPage = ''

const store = {
	get: key => { try { return localStorage.getItem(key) } catch { return null } },
	set: (key, v) => { try { localStorage.setItem(key, v) } catch { /* then it holds for this page only */ } },
}

// ---- data in, page out ----

async function load() {
	const paths = [...new Set([...page.needs(query), 'status'])]
	const replies = await Promise.all(paths.map(ask)), by = key => replies[paths.findIndex(p => p.split('?')[0] === key)]
	const doc = by('bays'), list = by('alerts')?.alerts ?? []
	for (const t of doc?.targets ?? []) setRead(`target ${t.name}`, t.observed_at)
	const ctx = {doc, targetsDoc: by('targets'), alertsDoc: by('alerts'), eventsDoc: by('events'), alerts: list, events: by('events')?.events ?? [], status: by('status'), machines: doc ? machinesOf(doc, list) : []}
	ctx.extra = have?.extra
	if (page.more) ctx.extra = await page.more({ask, query, machines: ctx.machines})
	return ctx
}

// What says only when things were read is no reason to draw a page anew: ages count on by themselves.
const essence = ctx => [...[ctx.doc, ctx.targetsDoc, ctx.alertsDoc, ctx.eventsDoc].map(essenceOf), JSON.stringify(ctx.extra, (k, v) => k === 'read' ? undefined : k === 'points' ? v.length : v)].join()

function draw() {
	if (!have) return
	const ctx = {...have, query, change}
	swap(main, ...page.draw(ctx).filter(Boolean))
	document.title = `${page.title(ctx)} – lanewatch`
	tick()
}

function change(to) {
	for (const [k, v] of Object.entries(to)) v === null ? query.delete(k) : query.set(k, v)
	history.replaceState(null, '', query.size ? '?' + query : location.pathname)
	draw()
	if ('range' in to || 'claim' in to || name === 'ceiling') refresh()
}

async function refresh() {
	if (busy) { again = true; return }
	busy = true
	try {
		const began = performance.now(), ctx = await load(), first = !have
		have = ctx
		if (first) draw()
		const now = essence(ctx)
		if (now !== signature && !first) draw()
		signature = now
		restUntil = performance.now() + (performance.now() - began) * PAUSE
		readAt = Date.now()
		present()
		badge(ctx.alerts)
		if (first) arrive()
	} catch (e) {
		if (e instanceof Refused) { swap(main, h('h1', {}, 'Not shown'), notice('warning', 'The agent refused this.', e.message)); badge([]) }
		else if (e instanceof Starting && !have) starting()
		else absent(e)
	} finally {
		busy = false
	}
	tickAll()
	if (again) { again = false; soon() }
}
function soon() {
	later ??= setTimeout(() => { later = null; refresh() }, Math.max(0, restUntil - performance.now()))
}

// ---- the agent goes away and comes back ----

function starting() {
	present()
	swap(main, h('h1', {class: 'vh'}, page.title({query})), notice('info', 'First reading.', 'The first poll is under way; what it finds will stand here by itself.'))
	setTimeout(refresh, 1000)
}
function absent(e) {
	goneSince ??= Date.now()
	if (!have) swap(main, h('h1', {class: 'vh'}, page.title({query})), notice('info', 'Nothing to show yet.', e?.message ?? 'The agent does not answer.'))
	if (!goneBox.childElementCount) goneBox.append(notice('warning', 'The agent does not answer.', readAt ? `Trying again every few seconds. What you see was read at ${clock(readAt)}.` : 'Trying again every few seconds.'))
	setTimeout(() => { if (goneSince) refresh() }, 3000)
	tickAll()
}
function present() {
	goneSince = null
	goneBox.replaceChildren()
}
function tickAll() {
	tick()
	const gone = goneSince !== null
	fresh.classList.toggle('gone', gone)
	document.body.classList.toggle('agent-gone', gone && Date.now() - goneSince > GONE_GREY_MS)
	const text = gone ? readAt ? `not live, read ${clock(readAt)}` : 'not live' : readAt ? 'live' : ''
	if (fresh.dataset.text !== text) { fresh.dataset.text = text; fresh.replaceChildren(...text ? [h('span', {class: 'pulse', 'aria-hidden': 'true'}), text] : []) }
	const face = document.querySelector('#wall-clock')
	if (face && face.textContent !== clock(Date.now())) face.textContent = clock(Date.now())
	if (page.turns && have) {
		const turn = String(Math.floor(Date.now() / 20000))
		if (wallPage && wallPage !== turn) draw()
		wallPage = turn
	}
}
let told = null
function badge(list) {
	const open = list.filter(a => a.state === 'firing' && !a.acknowledged_by && !a.silenced_until), el = document.querySelector('#alert-count')
	el.hidden = !open.length
	el.textContent = open.length || ''
	const critical = new Set(open.filter(a => a.severity === 'critical').map(a => a.id)), news = told && open.find(a => critical.has(a.id) && !told.has(a.id))
	if (news) say(`New critical alert: ${news.host ?? news.target}, ${news.message}`)
	told = critical
}

// ---- where one came from: the bay that one went to has the focus again ----

const seat = `lanewatch-focus ${location.pathname}${location.search}`
function arrive() {
	let wanted = /^#bay-(.+)$/.exec(location.hash)?.[1]
	if (!wanted && performance.getEntriesByType('navigation')[0]?.type === 'back_forward') try { wanted = sessionStorage.getItem(seat) } catch { /* no storage: the top of the page it is */ }
	if (wanted) main.querySelector(`.bay[data-bay="${CSS.escape(decodeURIComponent(wanted))}"]`)?.focus()
	if (query.get('focus') === 'q') { query.delete('focus'); history.replaceState(null, '', query.size ? '?' + query : location.pathname); document.querySelector('#q')?.focus() }
}
main.addEventListener('focusin', e => {
	const t = e.target.closest('.bay')
	if (t) try { sessionStorage.setItem(seat, t.dataset.bay) } catch { /* as above */ }
})

// ---- keys: single ones can be switched off (WCAG 2.1.4) ----

let keysOn = store.get('lanewatch-keys') !== 'off', lead = false
const keysButton = document.querySelector('#keys')
function showKeys() {
	keysButton.setAttribute('aria-pressed', String(keysOn))
	keysButton.textContent = `Single-key shortcuts ${keysOn ? 'on' : 'off'}`
}
keysButton.addEventListener('click', () => { keysOn = !keysOn; store.set('lanewatch-keys', keysOn ? 'on' : 'off'); showKeys(); say(keysButton.textContent) })
showKeys()

document.addEventListener('keydown', e => {
	if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input, select, textarea')) return
	if (e.key === 'Escape' && page.parent) { location.href = page.parent(query); return }
	if (!keysOn) return
	const led = lead
	lead = e.key === 'g'
	if (led && GO[e.key]) location.href = `${GO[e.key]}.html`
	else if (e.key === '/') {
		e.preventDefault()
		const q = document.querySelector('#q')
		if (q) q.focus()
		else location.href = 'drives.html?focus=q'
	} else if ((e.key === 'j' || e.key === 'k') && page.steps && have) {
		const to = page.steps({...have, query})[e.key === 'j' ? 'next' : 'prev']
		if (to) location.href = `bay.html?host=${encodeURIComponent(to.host)}&bay=${encodeURIComponent(to.bay)}`
	}
})

// ---- theme ----

document.querySelector('#theme').addEventListener('click', () => {
	const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
	root.dataset.theme = dark ? 'light' : 'dark'
	store.set('lanewatch-theme', root.dataset.theme)
	say(dark ? 'Light theme' : 'Dark theme')
})

// ---- start ----

document.body.dataset.page = name in PAGES ? name : 'index'
document.body.append(patterns())
if (name === 'wall') { document.querySelector('.bar').hidden = true; document.querySelector('.foot-bar').hidden = true }
const here = {machine: 'index', bay: 'index'}[name] ?? name
document.querySelector(`.bar nav a[href="${here}.html"]`)?.setAttribute('aria-current', 'page')
setInterval(tickAll, 1000)
addEventListener('popstate', () => { query = new URLSearchParams(location.search); draw() })
addEventListener('lanewatch-changed', refresh)
refresh()
follow(soon, gone => { if (gone) absent() })
