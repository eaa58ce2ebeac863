// SPDX-License-Identifier: MIT
// Series over time. uPlot draws them where it was built in: one cursor over all of them, drag to zoom, Escape back.
// Without it the plain drawing of parts.js does.

import {h, known, plural, clock, shortDay, when} from './dom.js'
import {chart, gapsIn, withGaps, fit} from './parts.js'

const DAY = 86400e3, HEIGHT = 124, TABLE_MAX = 500
let uPlot = null, asked = null
let zoom = null			// [from, to] in ms, of all charts of the page, also after it was drawn anew
const live = new Set()		// canvases
const figures = new Map()	// by their names: they stay when the page is drawn anew

// To be waited for before anything is drawn: it is fetched with the first chart and not before.
export const charts = () => asked ??= import('./uplot.js').then(m => {
	uPlot = m.default
	if (uPlot) document.head.append(h('link', {rel: 'stylesheet', href: 'uplot.css'}))
}, () => { /* then the plain drawing it is */ })

// A canvas knows no custom properties: an element that has them says what they come to.
function colour(name) {
	const probe = h('i', {class: `probe probe-${name}`})
	document.body.append(probe)
	const value = getComputedStyle(probe).color
	probe.remove()
	return value
}

const rangeText = (from, to) => to - from <= 2 * DAY ? clock : shortDay

// A gap is marked at both ends, and why it is there stands between them where there is room.
function drawFlags(u, flags) {
	const {ctx, bbox: box} = u, px = devicePixelRatio
	ctx.save()
	Object.assign(ctx, {strokeStyle: colour('ink'), fillStyle: colour('ink'), lineWidth: px, font: `${11.5 * px}px system-ui, sans-serif`, textAlign: 'center', textBaseline: 'top'})
	ctx.setLineDash([2 * px, 3 * px])
	ctx.beginPath()
	ctx.rect(box.left, box.top - 12 * px, box.width, box.height + 12 * px)
	ctx.clip()
	ctx.beginPath()
	for (const f of flags) {
		const [a, z] = [f.from, f.to].map(t => Math.min(box.left + box.width, Math.max(box.left, u.valToPos(t / 1000, 'x', true))))
		if (z <= a) continue
		for (const x of [a, z]) { ctx.moveTo(x, box.top); ctx.lineTo(x, box.top + box.height) }
		if (z - a > ctx.measureText(f.text).width + 8 * px) ctx.fillText(f.text, (a + z) / 2, box.top + 3 * px)
	}
	ctx.stroke()
	ctx.restore()
}

function options(lines, width, [from, to], {unit, min, max}, scaled, flags) {
	const ink = colour('ink'), hair = {stroke: colour('line'), width: 1}, font = '11.5px system-ui, sans-serif'
	return {
		width, height: HEIGHT, padding: [12, 18, 0, 0], legend: {show: false}, cursor: {y: false, sync: {key: 'bay'}, drag: {x: true, y: false}, points: {size: 6}},
		scales: {x: {time: true, min: from / 1000, max: to / 1000}, y: {range: (u, low, high) => [min ?? Math.min(0, low ?? 0), max ?? ((high ?? 1) * 1.1 || 1)]}},
		axes: [{stroke: ink, font, size: 26, grid: {show: false}, ticks: {...hair, size: 4}, space: 90, values: (u, list) => list.map(t => rangeText(u.scales.x.min * 1000, u.scales.x.max * 1000)(t * 1000))},
			{stroke: ink, font, grid: hair, ticks: {show: false}, size: 56, splits: u => [0, 1, 2, 3, 4].map(i => u.scales.y.min + (u.scales.y.max - u.scales.y.min) * i / 4),
				values: (u, list) => list.map((v, i) => `${+v.toPrecision(3)}${i === list.length - 1 ? ' ' + unit : ''}`)}],
		series: [{}, ...lines.map((l, i) => ({label: l.name, stroke: colour(i ? 'second' : 'link'), dash: i ? [5, 3] : undefined, width: 1.75, spanGaps: false, points: {show: false}}))],
		hooks: {draw: [u => drawFlags(u, flags())], setScale: [(u, key) => { if (key === 'x') scaled(u.scales.x.min * 1000, u.scales.x.max * 1000) }]},
	}
}

// Lines share their times; one that has no value at a time has a gap there.
function columns(lines) {
	const times = [...new Set(lines.flatMap(l => l.points.map(p => p[0])))].sort((a, b) => a - b)
	const column = l => { const at = new Map(l.points); return times.map(t => at.get(t) ?? null) }
	return [times.map(t => t / 1000), ...lines.map(column)]
}

// A canvas that stays while its data change: {el, show(lines, span, opts)}.
function canvas() {
	const el = h('div', {class: 'plot'}), one = {el, plot: null, width: 0, show, make, get span() { return data.span }}
	let data = null
	const scaled = (from, to) => { zoom = Math.abs(from - data.span[0]) + Math.abs(to - data.span[1]) > 2000 ? [from, to] : null }
	function make() {
		one.plot?.destroy()
		one.plot = one.width && data ? new uPlot(options(data.lines, one.width, zoom ?? data.span, data.opts, scaled, () => data.opts.flags), columns(data.lines), el) : null
	}
	function show(lines, span, opts) {
		const same = data && data.opts.unit === opts.unit && data.lines.length === lines.length
		data = {lines, span, opts}
		if (!same || !one.plot) return make()
		one.plot.setData(columns(lines), false)
		const [from, to] = zoom ?? span
		one.plot.setScale('x', {min: from / 1000, max: to / 1000})
	}
	new ResizeObserver(([e]) => {
		const width = Math.round(e.contentRect.width)
		if (width <= 40 || width === one.width) return
		one.width = width
		one.plot ? one.plot.setSize({width, height: HEIGHT}) : make()
	}).observe(el)
	live.add(one)
	return one
}

const redraw = () => { for (const one of live) one.make() }
new MutationObserver(redraw).observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
document.addEventListener('keydown', e => {
	if (e.key !== 'Escape' || !zoom) return
	e.preventDefault()
	zoom = null
	for (const {plot, span} of live) plot?.setScale('x', {min: span[0] / 1000, max: span[1] / 1000})
}, true)
export const unzoom = () => { zoom = null }

function table(name, lines, unit) {
	const [times, ...values] = columns(lines), rows = times.map((t, i) => [t * 1000, ...values.map(v => v[i])]).filter(r => r.slice(1).some(known)).slice(-TABLE_MAX).reverse()
	return h('div', {class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': `${name} as table`}, h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'time'), lines.map(l => h('th', {scope: 'col'}, `${l.name}, ${unit}`)))),
		h('tbody', {}, rows.map(r => h('tr', {}, h('th', {scope: 'row'}, when(r[0])), r.slice(1).map(v => h('td', {class: 'num'}, known(v) ? String(+v.toPrecision(4)) : 'not known')))))))
}

const plain = (lines, span, {unit, min, max, flags}) => fit(width => chart({width, height: 118, from: span[0], to: span[1], min: min ?? 0, max: max ?? (lines.flatMap(l => l.points).reduce((a, p) => Math.max(a, p[1] ?? 0), 0) * 1.1 || 1),
	unit, tickText: rangeText(...span), label: lines.map(l => l.name).join(' and '), lines: lines.map((l, i) => ({cls: i ? 'forecast' : 'main', points: l.points})), flags: flags.map(f => ({t: f.from, text: f.text}))}))

function told(l, unit, alone) {
	const v = l.points.map(p => p[1]).filter(known), text = x => `${+x.toPrecision(3)} ${unit}`
	return `${alone ? '' : l.name + ' '}last ${text(v.at(-1))}, least ${text(v.reduce((a, b) => Math.min(a, b)))}, greatest ${text(v.reduce((a, b) => Math.max(a, b)))}`
}

function gapWords(flags) {
	const words = [...new Set(flags.map(f => f.text))]
	return flags.length ? `; ${plural(flags.length, 'gap')}: ${words.join(', ')}` : ''
}

function make(name) {
	const el = h('figure', {}), words = h('span', {}), body = h('div', {})
	const button = h('button', {type: 'button', class: 'plain-button', id: `table-${name.replace(/\W+/g, '-')}`, onclick: () => { asTable = !asTable; show() }})
	let asTable = false, drawn = null, now = null
	function show() {
		const {lines, span, opts} = now
		button.hidden = !lines.length
		button.textContent = asTable ? 'as chart' : 'as table'
		button.setAttribute('aria-label', `${name} ${button.textContent}`)
		words.replaceChildren(lines.length > 1 ? h('span', {class: 'key'}, lines.map((l, i) => h('span', {class: `key-${i}`}, l.name))) : '', lines.length ? ` ${lines.map(l => told(l, opts.unit, lines.length === 1)).join('; ')}${gapWords(opts.flags)} ` : ' nothing recorded for this range')
		if (!lines.length || asTable || !uPlot) {
			body.replaceChildren(...!lines.length ? [] : [asTable ? table(name, lines, opts.unit) : plain(lines, span, opts)])
			return
		}
		drawn ??= canvas()
		drawn.show(lines, span, opts)
		if (!drawn.el.isConnected || drawn.el.parentNode !== body) body.replaceChildren(drawn.el)
	}
	el.append(h('figcaption', {}, h('b', {}, name), words, button), body)
	return {el, update(state) { now = state; show() }}
}

// The gaps of the first line: [{from, to, text}].
function flagsOf({points}, interval, why) {
	return [...gapsIn(points.map(p => p[0]), interval)].map(i => ({from: points[i - 1][0], to: points[i][0], text: why(points[i - 1][0], points[i][0])}))
}

// lines: [{name, points: [[ms, number or null]]}]; span: [from, to] in ms. What was last, least and greatest stands above
// it in words. opts.why(from, to): what is said of a gap.
export function figure(name, unit, lines, span, interval, opts = {}) {
	const flags = flagsOf(lines[0], interval, opts.why), some = lines.map(l => ({...l, points: withGaps(l.points, interval)})).filter(l => l.points.some(p => known(p[1])))
	if (!figures.has(name)) figures.set(name, make(name))
	figures.get(name).update({lines: some, span, opts: {...opts, unit, flags}})
	return figures.get(name).el
}
