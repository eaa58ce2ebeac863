// SPDX-License-Identifier: MIT
// The front panel: bays where they stand in the rack, drawn from a layout alone, and moved through by keys.

import {h, vh, known, link, bayUrl, age, secondsSince} from './dom.js'
import {mark, also, lanes, wearBar, heatBar} from './parts.js'

export const speedText = b => !b.link ? null : known(b.link.speed_gts) ? link(b.link.speed_gts, b.link.width) : 'not known'

// "Gen5 x4" in "Gen4 x4 of Gen5 x4": what the link is measured by, null where it does not fall short.
export function shortOf(b) {
	const l = b.link
	if (!l || !known(l.speed_gts) || !known(l.width)) return null
	const least = (...v) => Math.min(...v.filter(known))
	const speed = Math.max(b.policy?.speed_gts ?? 0, known(l.max_speed_gts) ? least(l.max_speed_gts, l.slot?.max_speed_gts) : 0)
	const width = Math.max(b.policy?.width ?? 0, known(l.max_width) ? least(l.max_width, l.slot?.max_width) : 0)
	return speed > l.speed_gts || width > l.width ? link(Math.max(speed, l.speed_gts), Math.max(width, l.width)) : null
}

const used = b => b.wear?.percent_used ?? null
const wornOut = b => used(b) >= 80
const bayName = b => [`Bay ${b.bay}`, speedText(b) && speedText(b) + (shortOf(b) ? ` of ${shortOf(b)}` : ''), b.verdict,
	known(used(b)) && `wear ${used(b)} %${wornOut(b) ? ' (warning)' : ''}`, known(b.temperature_celsius) && `${b.temperature_celsius} °C`,
	b.hot && 'too hot', b.stale && `stale for ${age(secondsSince(b.observed_at))}`].filter(Boolean).join(', ')

const two = text => text.split(' ').flatMap((x, i) => [i ? ' ' : null, h('span', {}, x)])

function figures(b) {
	if (!b.drive) return null
	return [h('span', {class: wornOut(b) ? 'used high' : 'used'}, vh(', wear '), known(used(b)) ? `${used(b)} %` : '– %', wornOut(b) && also()),
		h('span', {class: b.hot ? 'temp hot' : 'temp'}, vh(', '), known(b.temperature_celsius) ? `${b.temperature_celsius} °C` : '– °C', b.hot && also())]
}

// A link to the bay; its text in order is its accessible name. `kind`: tall, flat, stick, puck or mini.
export function tile(b, kind = 'tall') {
	const short = shortOf(b), upright = kind === 'tall', mini = kind === 'mini'
	const a = h('a', {class: `bay ${kind} v-${b.verdict}${b.stale ? ' stale' : ''}`, href: bayUrl(b), 'aria-label': mini ? bayName(b) : null,
		title: b.message, 'data-bay': b.bay, 'data-verdict': b.verdict, tabindex: -1})
	const second = mini && (b.hot || wornOut(b))
	a.append(h('span', {class: 'head'}, h('b', {class: 'no'}, !mini && vh('Bay '), b.bay), second ? h('span', {class: 'marks'}, mark(b.verdict), also()) : mark(b.verdict)))
	if (mini) {
		a.append(lanes(b, {w: 22, hgt: 20, stretch: true}))
		return a
	}
	a.append(lanes(b, upright ? {stretch: true} : {w: 38, hgt: 26}),
		h('span', {class: 'speed'}, speedText(b) ? h('b', {}, vh(', '), two(speedText(b))) : h('b', {}, b.drive?.protocol ?? ''), short && h('small', {}, 'of ', two(short))),
		h('span', {class: 'mid'}, b.drive && wearBar(used(b), {vertical: upright}), b.drive && upright && heatBar(b), h('span', {class: 'word'}, vh(', '), b.verdict)))
	if (!upright && b.drive) a.append(h('span', {class: 'extra'}, [b.drive.model, b.drive.serial && `S/N ${b.drive.serial}`].filter(Boolean).join(', ')))
	a.append(h('span', {class: 'foot'}, figures(b), b.stale && h('span', {class: 'aged'}, vh(', stale for '), age(secondsSince(b.observed_at)))))
	return a
}

export function panel(m, {mini = false} = {}) {
	const by = new Map(m.bays.map(b => [b.bay, b]))
	const empty = bay => ({host: m.host, bay, verdict: 'absent', drive: null, link: null, wear: null, temperature_celsius: null, message: 'nothing is told of this bay'})
	const {groups} = m.layout
	const box = h('div', {class: `panel ${mini ? 'mini' : ''} ${m.stale ? 'stale' : ''}`, role: 'group', 'aria-label': `${m.host}, ${m.layout.view}: arrows move between bays, Enter opens`},
		groups.map(g => h('div', {class: `group ${g.kind} c${g.columns}`}, g.label && h('p', {class: 'group-label'}, g.label),
			h('div', {class: 'slots'}, g.bays.map(n => tile(by.get(n) ?? empty(n), mini ? 'mini' : g.kind))))))
	const first = box.querySelector('.bay')
	if (first) first.tabIndex = 0
	box.addEventListener('keydown', move)
	box.addEventListener('focusin', e => { const t = e.target.closest('.bay'); if (t) rove(box, t) })
	const across = groups[0].kind === 'tall' ? groups.reduce((n, g) => n + g.columns, 0) : groups[0].columns
	return h('div', {class: `chassis ${mini ? 'mini' : ''} ${groups[0].kind} n${across}`}, box)
}

// ---- keys: by what is drawn, so that they stay right when the panel folds ----

function rove(box, to) {
	for (const t of box.querySelectorAll('.bay')) t.tabIndex = t === to ? 0 : -1
}
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}
const QUIET = ['ok', 'absent', 'not-applicable']

function nearest(all, at, [dx, dy]) {
	const mid = t => { const r = t.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] }
	const [x, y] = mid(at)
	let best = Infinity, to = null
	for (const t of all) {
		const [tx, ty] = mid(t), along = (tx - x) * dx + (ty - y) * dy, off = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx)
		if (along > 4 && (dy || off < 4) && along + off * 3 < best) { best = along + off * 3; to = t }
	}
	return to ?? (dx ? all[all.indexOf(at) + dx] : null)		// at the end of a row: on to the next one
}

function move(e) {
	if (e.ctrlKey || e.altKey || e.metaKey) return
	const all = [...this.querySelectorAll('.bay')], at = e.target.closest('.bay'), i = all.indexOf(at)
	let to
	if (e.key === 'Home') to = all[0]
	else if (e.key === 'End') to = all.at(-1)
	else if (e.key === 'n') to = [...all.slice(i + 1), ...all.slice(0, i)].find(t => !QUIET.includes(t.dataset.verdict))
	else if (e.key === 'p') to = [...all.slice(0, i).reverse(), ...all.slice(i + 1).reverse()].find(t => !QUIET.includes(t.dataset.verdict))
	else if (ARROWS[e.key]) to = nearest(all, at, ARROWS[e.key])
	else return
	e.preventDefault()
	e.stopPropagation()
	if (to) { rove(this, to); to.focus() }
}
