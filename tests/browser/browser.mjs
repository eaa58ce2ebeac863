// SPDX-License-Identifier: MIT
// The dashboard in a real browser against the real agent and simulated servers: TAP on standard output.
//
//   node browser.mjs BUILD [CHROMIUM [SOURCE]]		from a folder that has node_modules (tests/stages/browser.sh)
//
// A test fails on any console message, script error, or request to another origin. Pictures go to BUILD/screenshots/.

import {spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {createServer} from 'node:net'
import {createServer as createSite} from 'node:http'
import {mkdtempSync, mkdirSync, writeFileSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import {createRequire} from 'node:module'
import {chromium} from 'playwright-core'
import {Validator} from '@seriousme/openapi-schema-validator'

const build = resolve(process.argv[2] ?? 'build'), program = process.argv[3] ?? '/usr/bin/chromium', source = resolve(process.argv[4] ?? '.')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const COLOURS = {type: 'rule', values: ['color-contrast', 'link-in-text-block']}
const WIDTHS = [320, 375, 768, 1280, 1920, 3840]
const HOSTILE = '<img src=x onerror=alert(1)>'
const tmp = mkdtempSync(join(tmpdir(), 'lanewatch-browser.')), pictures = join(build, 'screenshots')
mkdirSync(pictures, {recursive: true})

const tests = []
const test = (title, run) => tests.push({title, run, alone: false})
const alone = (title, run) => tests.push({title, run, alone: true})		// changes the world: runs after the others
function equal(got, wanted, what = '') {
	const [a, b] = [got, wanted].map(v => JSON.stringify(v))
	if (a !== b) throw new Error(`${what} wanted ${b}, got ${a}`)
}
function holds(value, what) { if (!value) throw new Error(what) }
const sleep = ms => new Promise(done => setTimeout(done, ms))

// ---- the agent and its simulated servers ----

const children = new Set()
function start(name, args, options = {}) {
	const child = spawn(join(build, name), args, {stdio: ['ignore', 'pipe', 'inherit'], ...options})
	children.add(child)
	child.on('exit', () => children.delete(child))
	return child
}
async function end(child) {
	if (!child || child.exitCode !== null || child.signalCode !== null) return
	const gone = once(child, 'exit')
	child.kill('SIGTERM')
	await gone
}
async function freePort() {
	const server = createServer().listen(0, '127.0.0.1')
	await once(server, 'listening')
	const {port} = server.address()
	server.close()
	await once(server, 'close')
	return port
}

const world = {}
async function simulate(name, chassis, faults) {
	const old = world[name], port = old?.port ?? await freePort()
	await end(old?.child)
	const child = start('lanewatch-simbmc', ['--chassis', chassis, '--license', '--port', String(port), '--password-file', world.password, ...faults.flatMap(f => ['--fault', f])])
	await once(child.stdout, 'data')
	world[name] = {child, port}
}
async function runAgent(config, database, ready, tries = 150) {
	const child = start('lanewatch', ['run', '--config', config, '--database', join(tmp, database)], {stdio: ['ignore', 'ignore', 'ignore']})
	for (let i = 0; i < tries; i++) {
		try { if (await ready()) return child } catch { /* not listening yet */ }
		await sleep(100)
	}
	throw new Error('the agent does not get ready')
}
const bayCount = async base => { const reply = await fetch(`${base}api/v1/bays?limit=1`); return reply.ok ? (await reply.json()).total : 0 }
async function startAgent() { world.agent = await runAgent(world.config, 'lw.db', async () => await bayCount(world.base) >= 36) }
// A pool on three bays of rack1 and one member that is gone; a script stands for zpool.
const POOL = `  pool: tank
 state: DEGRADED
status: One or more devices could not be used because the label is missing or
	invalid.
  scan: scrub repaired 0B in 04:42:00 with 2 errors on Sun Mar  1 05:12:00 2026
config:

	NAME                        STATE     READ WRITE CKSUM
	tank                        DEGRADED     0     0     0
	  raidz1-0                  DEGRADED     0     0     0
	    nvme-Acme_7LW001N9000   ONLINE       0     0     0
	    nvme-Acme_7LW001N9007   ONLINE       0     0     3
	    1234567890123456789     UNAVAIL      0     0     0  was /dev/disk/by-id/nvme-Acme_GONE
	logs
	  nvme-Acme_7LW001N9005     ONLINE       0     0     0

errors: No known data errors
`
function makePool() {
	writeFileSync(join(tmp, 'status.txt'), POOL)
	writeFileSync(join(tmp, 'zpool'), `#!/bin/sh\ncase "$*" in\n*-j*) exit 2 ;;\nstatus*) cat '${tmp}/status.txt' ;;\nlist*) printf 'tank\\t6000000000000\\t2000000000000\\t4000000000000\\n' ;;\nesac\n`, {mode: 0o700})
}
const FRONT = ['bay 7 width 2', 'bay 15 speed 16', 'bay 11 link unknown', 'bay 9 drive-width 2', 'bay 21 temp 62', 'bay 5 wear 86', 'bay 6 wear unknown']
async function begin() {
	world.password = join(tmp, 'password')
	writeFileSync(world.password, 'calvin\n', {mode: 0o600})
	await simulate('front', 'r7725xd', FRONT)
	await simulate('small', 'r650', [`bay 2 model ${HOSTILE}`, 'bay 3 serial "><script>alert(2)</script>', 'bay 4 firmware \u202eevil'])
	makePool()
	world.port = await freePort()
	world.base = `http://127.0.0.1:${world.port}/`
	world.config = join(tmp, 'lanewatch.conf')
	const target = (name, port) => `target "${name}" { type = redfish url = "http://127.0.0.1:${port}" username = "root" password_file = "${world.password}" }\n`
	writeFileSync(world.config, `listen = "127.0.0.1:${world.port}"\npoll_interval = 1s\n${target('rack1', world.front.port)}${target('rack2', world.small.port)}${target('gone', 1)}` +
		'policy "front" { targets = {"rack1"} bays = "0-23" expect = "gen5 x4" require_present = true }\n' +
		`target "pools" { type = zfs  host = "rack1"  path = "${tmp}/zpool" }\n`)
	await startAgent()
}

// ---- pages ----

const ALL = [['overview', ''], ['machine', 'machine.html?host=rack1'], ['small', 'machine.html?host=rack2'], ['stale', 'machine.html?host=gone'], ['bay', 'bay.html?host=rack1&bay=7&range=1 h'], ['unknown', 'bay.html?host=rack1&bay=11&range=1 h'], ['wear', 'bay.html?host=rack1&bay=5&range=1 h'],
	['drives', 'drives.html'], ['alerts', 'alerts.html'], ['events', 'events.html'], ['targets', 'targets.html'], ['wall', 'wall.html'], ['pools', 'pools.html'], ['ceiling', 'ceiling.html?host=rack2&claim=999%20GB/s'], ['report', 'report.html?host=rack1']]
let browser

// What the pages got: held against openapi.json and the schemas at the end.
const replies = [], MADE_UP = {'x-made-up': 'by the test'}
function keep(response) {
	const url = new URL(response.url()), type = response.headers()['content-type'] ?? null
	if (!url.href.startsWith(world.base) || type?.startsWith('text/event-stream') || response.headers()['x-made-up']) return
	const line = {method: response.request().method(), path: url.pathname + url.search, status: response.status(), type}
	replies.push((line.status === 304 ? Promise.resolve('') : response.body()).then(body => ({...line, body: body.toString()})).catch(() => null))		// null: its page went away first
}

async function open(options, use) {
	const base = options.base ?? world.base, context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options}), page = await context.newPage(), wrong = []
	page.on('console', m => wrong.push(`console ${m.type()}: ${m.text()}`))
	page.on('pageerror', e => wrong.push(`error: ${e.message}`))
	page.on('dialog', d => { wrong.push(`dialog: ${d.message()}`); d.dismiss() })
	if (base === world.base) page.on('response', keep)
	page.on('request', r => { if (!r.url().startsWith(base)) wrong.push(`foreign request: ${r.url()}`) })
	try {
		await use(page, wrong)
		if (!options.loud && wrong.length) throw new Error([...new Set(wrong)].join('; '))
	} finally {
		await context.close()
	}
}
async function go(page, path, base = world.base) {
	await page.goto(base + path)
	await page.locator('main h1, body h1').first().waitFor({state: 'attached'})
	await page.waitForFunction(() => document.querySelector('main')?.childElementCount > 1)
}
// Nothing is wider than the window: what is, is named.
async function fits(page, width) {
	await page.setViewportSize({width, height: width < 500 ? 800 : 1000})
	await page.waitForTimeout(60)
	const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).slice(-4).map(e => `${e.localName}.${e.getAttribute('class')} ${Math.round(e.getBoundingClientRect().right)}`))
	holds(!wide.length, `too wide at ${width}: ${wide.join(', ')}`)
}
async function accessible(page, what, only = TAGS) {
	await page.evaluate(axe)
	const {violations} = await page.evaluate(only => globalThis.axe.run(document, {runOnly: only}), only)
	if (violations.length) throw new Error(`${what}: ` + violations.map(v => `${v.id} (${v.nodes.slice(0, 3).map(n => n.target.join(' ')).join(', ')})`).join('; '))
}

for (const [name, path] of ALL)
	test(`${name}: axe finds nothing in light, dark and on a phone, and it fits from 320 to 3840 px`, () => open({reducedMotion: 'reduce'}, async page => {
		const picture = what => page.screenshot({path: join(pictures, `${name}-${what}.png`), fullPage: name !== 'wall'})
		await go(page, path)
		await accessible(page, `${name} in light`)
		await picture('1280')
		for (const width of WIDTHS) await fits(page, width)
		await page.emulateMedia({colorScheme: 'dark'})
		await page.setViewportSize({width: 1280, height: 900})
		await accessible(page, `${name} in dark`, COLOURS)		// the other theme changes colours and nothing else
		await picture('1280-dark')
		await page.emulateMedia({colorScheme: 'light'})
		await page.setViewportSize({width: 375, height: 800})
		await accessible(page, `${name} at 375 px`)
		await picture('375')
	}))

for (const [name, path] of ALL)
	test(`${name}: nothing jumps on a phone while the page comes`, () => open({viewport: {width: 412, height: 823}}, async page => {
		await page.addInitScript(() => {
			globalThis.jumps = []
			const note = e => globalThis.jumps.push([e.value, ...e.sources.map(x => x.node?.className || x.node?.nodeName)])
			new PerformanceObserver(list => list.getEntries().forEach(note)).observe({type: 'layout-shift', buffered: true})
		})
		await go(page, path)
		await page.waitForTimeout(300)
		const jumps = await page.evaluate(() => globalThis.jumps)
		holds(jumps.reduce((sum, j) => sum + j[0], 0) < 0.05, JSON.stringify(jumps))
	}))

for (const [name, path] of [['overview', ''], ['machine', 'machine.html?host=rack1'], ['bay', 'bay.html?host=rack1&bay=7']])
	test(`${name} keeps its states apart in forced colours`, () => open({forcedColors: 'active'}, async page => {
		await go(page, path)
		await accessible(page, name)
		await page.screenshot({path: join(pictures, `${name}-forced.png`)})
	}))

test('every bay is reached by arrows, Enter opens one, Escape comes back to it', () => open({}, async page => {
	await go(page, 'machine.html?host=rack1')
	await page.locator('.panel .bay').first().focus()
	const seen = new Set()
	for (let i = 0; i < 24; i++) {
		seen.add(await page.evaluate(() => document.activeElement.dataset.bay))
		await page.keyboard.press('ArrowRight')
	}
	equal(seen.size, 24, 'bays')
	await page.keyboard.press('Home')
	await page.keyboard.press('n')
	equal(await page.evaluate(() => document.activeElement.dataset.bay), '7', 'n goes to the next that is not ok:')
	await page.keyboard.press('Enter')
	await page.waitForURL(/bay\.html\?host=rack1&bay=7/)
	await page.getByRole('heading', {name: /^Bay 7/}).waitFor()
	await page.keyboard.press('j')
	await page.waitForURL(/bay=8/)
	await page.getByRole('heading', {name: /^Bay 8/}).waitFor()
	await page.keyboard.press('Escape')
	await page.waitForURL(/machine\.html/)
	await page.waitForFunction(() => document.activeElement.dataset.bay === '8')
}))

test('arrows find the nearest bay as drawn, also where the panel is folded', () => open({viewport: {width: 375, height: 800}}, async page => {
	await go(page, 'machine.html?host=rack1')
	await page.locator('.panel .bay').first().focus()
	await page.keyboard.press('ArrowDown')
	equal(await page.evaluate(() => document.activeElement.dataset.bay), '8')
	await page.keyboard.press('ArrowRight')
	equal(await page.evaluate(() => document.activeElement.dataset.bay), '9')
}))

test('Back returns the focus to the bay that was opened', () => open({}, async page => {
	await go(page, 'machine.html?host=rack1')
	await page.locator('.panel .bay[data-bay="15"]').click()
	await page.getByRole('heading', {name: /^Bay 15/}).waitFor()
	await page.goBack()
	await page.waitForFunction(() => document.activeElement.dataset.bay === '15')
}))

test('a bay tile says all it shows to those who do not see it', () => open({}, async page => {
	await go(page, 'machine.html?host=rack1')
	holds(await page.getByRole('link', {name: /^Bay 7 ?, Gen5 x2 of Gen5 x4 ?, degraded-width ?, wear \d+ % ?, \d+ °C$/}).count() >= 1, await page.locator('.bay[data-bay="7"]').innerText())
	await go(page, '')
	equal(await page.getByRole('link', {name: /^Bay 11, not known, unknown/}).count(), 1)
}))

test('unknown is drawn hatched and written as a word, never as a number', () => open({}, async page => {
	await go(page, 'bay.html?host=rack1&bay=11')
	equal(await page.locator('.rung.now .big').innerText(), 'not known')
	holds(await page.locator('.rung.now .tube.unknown[fill="url(#hatch)"]').count() === 4, 'four hatched tubes')
	await go(page, 'bay.html?host=rack1&bay=6')
	holds(/not reported/.test(await page.locator('.wear-card').innerText()), 'wear is said to be not reported')
	holds(!/\b0 %/.test(await page.locator('.wear-card .readout').allInnerTexts().then(t => t.join().replace(/100 %/g, ''))), 'no 0 % stands for it')
}))

test('a part of the donut filters the pictures and stays in the address', () => open({}, async page => {
	await go(page, '')
	await page.getByRole('button', {name: /degraded-width/}).click()
	equal(new URL(page.url()).search, '?verdict=degraded-width')
	equal(await page.locator('.bay:not(.dim)').evaluateAll(l => l.map(t => t.dataset.bay)), ['7'])
	await page.reload()
	await page.locator('.legend [aria-pressed=true]').waitFor()
	await page.getByRole('link', {name: 'Open as table'}).click()
	await page.waitForURL(/drives\.html\?verdict=degraded-width/)
	await page.waitForFunction(() => document.querySelectorAll('.drives tbody tr').length === 1)
}))

test('the table is searched with /, sorted and filtered, all kept in the address', () => open({}, async page => {
	await go(page, 'alerts.html')
	await page.keyboard.press('/')
	await page.waitForURL(/drives\.html/)
	await page.waitForFunction(() => document.activeElement.id === 'q')
	const serial = (await (await fetch(`${world.base}api/v1/bays?host=rack1&bay=4`)).json()).bays[0].drive.serial
	await page.keyboard.type(serial)
	await page.waitForFunction(() => document.querySelectorAll('.drives tbody tr').length === 1)
	equal(new URL(page.url()).searchParams.get('q'), serial)
	equal(await page.evaluate(() => document.activeElement.value), serial, 'the field keeps the focus and its text:')
	await page.keyboard.press('Escape')
	await page.waitForFunction(() => document.querySelectorAll('.drives tbody tr').length > 30)
	await page.getByRole('button', {name: 'Wear'}).click()
	await page.getByRole('button', {name: /^Wear/}).click()
	equal(new URL(page.url()).search, '?sort=wear&dir=down')
	holds(/86 %/.test(await page.locator('.drives tbody tr').first().innerText()), 'the most worn stands first')
	holds(/not reported|–/.test(await page.locator('.drives tbody tr').last().locator('.c-wear').innerText()), 'what is not known stands last')
	await page.locator('#host').selectOption('rack2')
	holds(await page.locator('.drives tbody tr').count() === 12, 'rows of one machine')
	await page.reload()
	await page.waitForFunction(() => document.querySelectorAll('.drives tbody tr').length === 12)
}))

test('a pool is its tree: bays, roles, states, errors, what is gone and what follows', () => open({}, async page => {
	await go(page, 'pools.html')
	const tree = page.locator('.tree tbody tr')
	await tree.first().waitFor()
	equal(await tree.count(), 5, 'rows:')
	equal(await tree.locator('a').evaluateAll(l => l.map(a => a.textContent)), ['bay 0', 'bay 7', 'bay 5'])
	holds(/0 \/ 0 \/ 3/.test(await tree.nth(2).innerText()), 'checksum errors')
	holds(/UNAVAIL/.test(await tree.nth(3).innerText()) && /was \/dev/.test(await tree.nth(3).innerText()), 'what is gone says where it was')
	holds(/log/.test(await tree.nth(4).innerText()), 'the log has its role')
	holds(/no-redundancy/.test(await page.locator('.pool .standing').innerText()), 'the hint stands with the pool')
	await page.getByRole('link', {name: 'bay 7'}).click()
	await page.getByRole('heading', {name: /^Bay 7/}).waitFor()
	holds(/pool tank fails/.test(await page.locator('.impact').innerText()), 'what a pull would cost: ' + await page.locator('.impact').innerText())
}))

test('what lies on a drive is told, and what goes with it', () => open({}, async page => {
	await page.route(/\/api\/v1\/bays(\?|$)/, async route => {
		const reply = await route.fetch(), doc = await reply.json(), b = doc.bays.find(x => x.host === 'rack1' && x.bay === '4')
		b.drive.uses = [{kind: 'md', name: 'md0', detail: 'raid1, 1 of 2 missing', mount: '/boot'}, {kind: 'lvm', name: 'vg0/root', detail: null, mount: '/'}]
		await route.fulfill({response: reply, json: doc})
	})
	await go(page, 'bay.html?host=rack1&bay=4')
	holds(/vg0\/root on \//.test(await page.locator('.card.uses').innerText()), await page.locator('.card.uses').innerText())
	equal(await page.locator('.impact .big-say').allInnerTexts(), ['md0 on /boot (raid1, 1 of 2 missing) has lost a member already: with this one it may fail'])
	await go(page, 'bay.html?host=rack1&bay=3')
	holds(/Not known/.test(await page.locator('.card.uses').innerText()), 'where nobody could look that is said')
}))

test('a figure is judged against the links, and a bad one is told what it lacks', () => open({loud: true}, async page => {
	await go(page, 'ceiling.html?host=rack2')
	await page.getByLabel('Somebody measured').fill('999 GB/s')
	await page.keyboard.press('Enter')
	await page.locator('.claim .state.v-critical').waitFor()
	holds(/impossible/.test(await page.locator('.claim').innerText()), 'impossible')
	equal(new URL(page.url()).searchParams.get('claim'), '999 GB/s')
	await page.getByLabel('Somebody measured').fill('1 GB/s')
	await page.keyboard.press('Enter')
	await page.locator('.claim .state.v-ok').waitFor()
	await page.getByLabel('Somebody measured').fill('157')
	await page.keyboard.press('Enter')
	await page.locator('.claim .notice').waitFor()
	holds(/unit/.test(await page.locator('.claim .notice').innerText()), await page.locator('.claim .notice').innerText())
	await page.getByLabel('Machine').selectOption('rack1')
	await page.waitForFunction(() => new URL(location).searchParams.get('host') === 'rack1')
}))

test('LW-R13 hostile names from a BMC are text, and no script runs', () => open({}, async page => {
	await go(page, 'drives.html?host=rack2')
	equal(await page.getByText(HOSTILE).count(), 1)
	for (const path of ['', 'machine.html?host=rack2', 'bay.html?host=rack2&bay=2', 'bay.html?host=rack2&bay=3', 'bay.html?host=rack2&bay=4', 'events.html', 'report.html?host=rack2', `machine.html?host=${encodeURIComponent(HOSTILE)}`, `drives.html?q=${encodeURIComponent(HOSTILE)}&verdict=${encodeURIComponent('"><b>')}`]) {
		await go(page, path)
		equal(await page.locator('img').count(), 0, `${path}: images`)
		equal(await page.locator('main script').count(), 0, `${path}: scripts`)
	}
}))

test('single keys can be switched off, and stay so', () => open({}, async page => {
	await go(page, '')
	await page.getByRole('button', {name: 'Single-key shortcuts on'}).click()
	await page.keyboard.press('g')
	await page.keyboard.press('d')
	await page.keyboard.press('/')
	await page.waitForTimeout(300)
	holds(!page.url().includes('drives'), 'went to the drives')
	await page.getByRole('button', {name: 'Single-key shortcuts off'}).click()
	await page.keyboard.press('g')
	await page.keyboard.press('d')
	await page.waitForURL(/drives\.html/)
}))

test('the theme is chosen by a button and kept', () => open({colorScheme: 'light'}, async page => {
	await go(page, '')
	await page.getByRole('button', {name: 'Theme'}).click()
	await go(page, 'events.html')
	equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
}))

test('the first view takes under 150 KB from the agent', () => open({}, async page => {
	const replies = []
	page.on('response', r => { if (!r.url().endsWith('/stream')) replies.push(r) })
	await go(page, '')
	await page.waitForTimeout(300)
	let total = 0
	for (const r of replies) {
		const size = await r.request().sizes()
		total += size.responseBodySize + size.responseHeadersSize
	}
	console.log(`# ${total} bytes in ${replies.length} replies`)
	holds(total > 10000 && total < 150e3, `${total} bytes`)
}))

const alertsNow = async () => (await (await fetch(`${world.base}api/v1/alerts`)).json()).alerts
const alertOf = async (kind, bay) => (await alertsNow()).find(a => a.kind === kind && a.host === 'rack1' && a.bay === bay)

test('an alert is acknowledged and silenced by keyboard, the focus comes back, and both can be taken back', () => open({loud: true}, async (page, wrong) => {
	await go(page, 'alerts.html')
	const {id} = await alertOf('link', '7'), by = verb => page.locator(`[data-act="${verb} ${id}"]`)
	await by('ack').focus()
	await page.keyboard.press('Enter')
	await page.locator('dialog[open]').waitFor()
	await accessible(page, 'the dialog')
	await page.screenshot({path: join(pictures, 'acknowledge.png')})
	await page.keyboard.press('Escape')
	await page.locator('dialog').waitFor({state: 'detached'})
	equal(await page.evaluate(() => document.activeElement.dataset.act), `ack ${id}`, 'focus after Escape')
	await page.keyboard.press('Enter')
	await page.keyboard.press('Enter')
	await page.getByText(/^Not done: by has to be given/).waitFor()
	equal(await page.evaluate(() => document.activeElement.id), 'ask-who', 'focus where it is missing')
	await page.keyboard.type('anna <b>')
	await page.keyboard.press('Enter')
	await page.getByText('acknowledged by anna <b>').waitFor()
	await page.waitForFunction(act => document.activeElement.dataset.act === act, `ack ${id}`)
	equal((await alertOf('link', '7')).acknowledged_by, 'anna <b>')
	await by('silence').click()
	await page.getByLabel('For').selectOption('4 h')
	await page.getByLabel('Note').fill('a drive is ordered')
	await page.locator('dialog').getByRole('button', {name: 'Silence'}).click()
	await page.locator('.alert.silenced', {has: by('silence')}).waitFor()
	const left = Date.parse((await alertOf('link', '7')).silenced_until) - Date.now()
	holds(left > 3.9 * 3600e3 && left < 4.1 * 3600e3, `${left} ms`)
	await by('silence').click()
	await by('ack').click()
	await page.waitForFunction(([a, b]) => [a, b].every(x => /^(Acknowledge|Silence)$/.test(document.querySelector(`[data-act="${x}"]`)?.textContent)), [`ack ${id}`, `silence ${id}`])
	const a = await alertOf('link', '7')
	equal([a.acknowledged_by, a.silenced_until], [null, null])
	equal(wrong.filter(x => !/status of 400/.test(x)), [])
}))

test('charts have one cursor, zoom by dragging, come back by Escape, and are tables for who wants that', () => open({}, async page => {
	await go(page, 'bay.html?host=rack1&bay=7&range=1 h')
	await page.getByRole('button', {name: 'Temperature as table'}).waitFor()
	holds(/last \d+ °C, least \d+ °C, greatest \d+ °C/.test(await page.locator('figcaption', {hasText: 'Temperature'}).innerText()), 'the caption tells last, least, greatest')
	if (!(await (await fetch(`${world.base}uplot.js`)).text()).includes('export default uPlot')) return
	const plots = page.locator('.plot .u-over')
	await plots.nth(1).waitFor()
	await plots.first().scrollIntoViewIfNeeded()
	const {x, y, width, height} = await plots.first().boundingBox()
	await page.mouse.move(x + width / 2, y + height / 2)
	const lines = await page.locator('.plot .u-cursor-x').evaluateAll(l => l.map(c => c.style.transform))
	holds(lines.length >= 2 && new Set(lines).size === 1 && !/-10px/.test(lines[0]), `cursors ${lines}`)
	const url = page.url()
	await page.mouse.move(x + width * .9, y + 20)
	await page.mouse.down()
	await page.mouse.move(x + width * .98, y + 30, {steps: 4})
	await page.screenshot({path: join(pictures, 'zoom.png')})
	await page.mouse.up()
	await page.keyboard.press('Escape')
	await page.waitForTimeout(200)
	equal(page.url(), url, 'the first Escape leaves the zoom, not the page:')
	await page.getByRole('button', {name: 'Temperature as table'}).click()
	await page.getByRole('region', {name: 'Temperature as table'}).waitFor()
	holds(/°C/.test(await page.locator('.rows thead').innerText()), 'its head has the unit')
	await accessible(page, 'the table of a chart')
	await page.getByRole('button', {name: 'Temperature as chart'}).click()
	await page.keyboard.press('Escape')
	await page.waitForURL(/machine\.html/)
}))

test('a gap in a chart stays one, and is said with its reason', () => open({}, async page => {
	const now = Date.now(), at = s => new Date(now - s * 1000).toISOString().slice(0, 19) + 'Z'
	const points = [...Array(60).keys()].map(i => ({at: at(i < 30 ? 3000 - i * 5 : 300 - (i - 30) * 5), value: 30 + i % 4, bay: '7', serial: 'x'}))
	await page.route('**/api/v1/series?*temperature*', async route => route.fulfill({headers: MADE_UP, json: {schema: 'lanewatch/history/v1', drive: 'rack1/7', metric: 'temperature_celsius', read: 60, points}}))
	await page.route('**/api/v1/events?limit=200&type=target-unreachable*', async route => route.fulfill({headers: MADE_UP, json: {schema: 'x', events: [{at: at(2850)}]}}))
	await go(page, 'bay.html?host=rack1&bay=7&range=1 h')
	await page.getByText(/greatest 33 °C; 1 gap: no answer/).waitFor()
	await page.screenshot({path: join(pictures, 'gap.png'), fullPage: true})
}))

test('old history, thinner than the polls, is a line and not a row of gaps', () => open({}, async page => {
	const points = [...Array(90).keys()].map(i => ({at: new Date(Date.now() - (90 - i) * 86400e3).toISOString().slice(0, 19) + 'Z', value: 30, bay: '7', serial: 'x'}))
	await page.route('**/api/v1/series?*temperature*', async route => route.fulfill({headers: MADE_UP, json: {schema: 'lanewatch/history/v1', drive: 'rack1/7', metric: 'temperature_celsius', read: 90, points}}))
	await go(page, 'bay.html?host=rack1&bay=7&range=1 y')
	await page.getByText(/least 30 °C/).waitFor()
	holds(!/gap/.test(await page.locator('figcaption', {hasText: 'Temperature'}).innerText()), await page.locator('figcaption', {hasText: 'Temperature'}).innerText())
}))

test('the most that a drive moved in seven days is a line on the ceiling of its link', () => open({}, async page => {
	const asked = []
	await page.route(/series\?.*metric=(read|write)_bytes_per_second&since=-7d/, async route => {
		asked.push(route.request().url())
		const points = [2e9, 9e9, null].map((v, i) => ({at: new Date(Date.now() - (9 - i) * 60e3).toISOString().slice(0, 19) + 'Z', value: /read/.test(route.request().url()) ? v : null, bay: '8', serial: 'X'}))
		await route.fulfill({json: {schema: 'lanewatch/history/v1', drive: 'x', metric: 'x', read: 3, points}, headers: MADE_UP})
	})
	await go(page, 'bay.html?host=rack1&bay=8')
	await page.locator('.card.ceil .peak').waitFor({state: 'attached'})
	const at = +await page.locator('.card.ceil .peak').getAttribute('x')
	holds(at > 550 && at < 600, `9 of 15.8 GB/s stand at ${at} of 1000`)
	holds(/the most of 7 days one way, 9\.0 GB\/s/.test(await page.locator('.card.ceil').innerText()), await page.locator('.card.ceil').innerText())
	await page.waitForTimeout(2500)		// rounds go by
	equal(asked.length, 2, 'a week of points is asked for once a page:')
	await go(page, 'bay.html?host=rack1&bay=11')
	equal(await page.locator('.peak').count(), 0, 'where the link is not known there is no line:')
}))

test('the greatest temperature of seven days stands beside that of now', () => open({}, async page => {
	await page.route('**/api/v1/series?*metric=temperature_celsius&since=-7d', async route => {
		const points = [30, 57, null, 41].map((v, i) => ({at: new Date(Date.now() - (9 - i) * 60e3).toISOString().slice(0, 19) + 'Z', value: v, bay: '7', serial: 'x'}))
		await route.fulfill({headers: MADE_UP, json: {schema: 'lanewatch/history/v1', drive: 'x', metric: 'temperature_celsius', read: 4, points}})
	})
	for (const [bay, most] of [['7', 57], ['21', 62]]) {	// in bay 21 it is 62 now
		await go(page, `bay.html?host=rack1&bay=${bay}`)
		await page.locator('.card.health', {hasText: `at most ${most} °C`}).waitFor()
	}
}))

test('the columns of the table are chosen by keyboard and stay in the address', () => open({}, async page => {
	await go(page, 'drives.html')
	await page.locator('#columns').focus()
	await page.keyboard.press('Enter')
	await page.locator('#col-media').focus()
	await page.keyboard.press('Space')
	await page.locator('.drives th', {hasText: 'Medium'}).waitFor()
	equal(await page.evaluate(() => document.activeElement.id), 'col-media', 'focus:')
	await accessible(page, 'the choice of columns')
	await page.locator('#col-serial').click()
	await page.waitForFunction(() => ![...document.querySelectorAll('.drives th')].some(x => x.textContent.includes('Serial')))
	const cols = new URL(page.url()).searchParams.get('cols').split(',')
	holds(cols.includes('media') && !cols.includes('serial'), cols.join())
	await page.reload()
	await page.locator('.drives th', {hasText: 'Medium'}).waitFor()
	for (const width of WIDTHS) await fits(page, width)
	await page.setViewportSize({width: 1280, height: 900})
	await page.locator('#columns').click()
	await page.getByRole('button', {name: 'As many as fit'}).click()
	await page.waitForFunction(() => !new URL(location).searchParams.has('cols'))
}))

test('CSV and JSON give the rows that the table shows, in its order', () => open({}, async page => {
	await go(page, 'drives.html?q=7LW001N6&sort=wear&dir=down')
	const shown = await page.locator('.drives tbody .c-serial').allInnerTexts()
	equal(shown.length, 9, 'rows:')
	const json = await (await fetch(new URL(await page.getByRole('link', {name: 'JSON'}).getAttribute('href'), world.base))).json()
	equal(json.bays.map(b => b.drive.serial), shown)
	const csv = (await (await fetch(new URL(await page.getByRole('link', {name: 'CSV'}).getAttribute('href'), world.base))).text()).trim().split(/\r?\n/)
	equal(csv.length - 1, shown.length, 'CSV:')
}))

test('the last polls of a target are a strip, those that failed hatched', () => open({}, async page => {
	const strip = name => page.locator('.target').filter({has: page.getByRole('heading', {name, exact: true})}).locator('.polls')
	await go(page, 'targets.html')
	await page.waitForFunction(() => document.querySelectorAll('.polls .ok').length >= 3)
	const told = (await (await fetch(`${world.base}api/v1/targets`)).json()).targets.find(t => t.name === 'gone')
	holds(told.polls.length > 0 && told.polls.every(p => p === 'failed'), JSON.stringify(told.polls))
	equal(await strip('gone').locator('rect:not(.failed)').count(), 0, 'polls of who is gone that did not fail:')
	equal(await strip('gone').locator('rect').first().getAttribute('fill'), 'url(#hatch-bad)')
	holds(/^Last \d+ polls?: \d+ failed$/.test(await strip('gone').getAttribute('aria-label')), await strip('gone').getAttribute('aria-label'))
	holds(/^Last \d+ polls?: all ok$/.test(await strip('rack1').getAttribute('aria-label')), await strip('rack1').getAttribute('aria-label'))
	const ends = await strip('rack1').locator('rect').evaluateAll(list => list.map(r => +r.getAttribute('x')))
	equal(ends.at(-1), 390, 'the newest stands at the right:')
	holds(ends.length <= 40, `${ends.length} polls`)
}))

test('before anything was read a page says so, and fills by itself', async () => {
	const held = new Set(), silent = createServer(socket => { held.add(socket); socket.on('error', () => {}) }).listen(0, '127.0.0.1')
	await once(silent, 'listening')
	const port = await freePort(), base = `http://127.0.0.1:${port}/`, config = join(tmp, 'silent.conf')
	writeFileSync(config, `listen = "127.0.0.1:${port}"\npoll_interval = 1s\ntarget "slow" { type = redfish url = "http://127.0.0.1:${silent.address().port}" username = "root" password_file = "${world.password}" }\n`)
	const agent = await runAgent(config, 'silent.db', async () => (await fetch(`${base}healthz`)).ok)
	try {
		await open({base, loud: true}, async (page, wrong) => {
			await page.goto(base)
			await page.getByText('First reading.').waitFor()
			equal(await page.locator('#gone .notice').count(), 0, 'notices that the agent does not answer:')
			await accessible(page, 'first reading')
			silent.close()
			for (const socket of held) socket.destroy()
			await page.locator('.machine').waitFor({timeout: 20000})
			equal(await page.getByText('First reading.').count(), 0)
			holds(wrong.every(w => /503/.test(w)), wrong.join('; '))
		})
	} finally {
		await end(agent)
		silent.close()
	}
})

test('pools stand on the overview as virtual disks, and machines keep their order until one asks', () => open({}, async page => {
	await go(page, '')
	holds(/rack1 tank/.test(await page.locator('.card.virtual').innerText()), await page.locator('.card.virtual').innerText())
	holds(/DEGRADED/.test(await page.locator('.card.virtual').innerText()), 'with its state')
	holds(/15\.8 GB\/s out of reach/.test(await page.locator('.card.ceilings').innerText()) || /out of reach/.test(await page.locator('.card.ceilings').innerText()), 'what short links cost')
	holds(/34 NVMe/.test(await page.locator('.card.summary').innerText()) && /Boot, apart\s+4 drives/.test(await page.locator('.card.summary').innerText()), 'protocol, and boot apart')
	const order = () => page.locator('.machine h3').allInnerTexts()
	equal(await order(), ['rack1', 'gone', 'rack2'])
	await page.route(/\/api\/v1\/bays(\?|$)/, async route => {
		const reply = await route.fetch(), doc = await reply.json()
		for (const b of doc.bays.filter(x => x.host === 'rack2')) b.verdict = 'degraded-both'
		await route.fulfill({response: reply, json: doc})
	})
	await page.locator('#order-again').waitFor({timeout: 15000})
	equal(await order(), ['rack1', 'gone', 'rack2'])
	await page.locator('#order-again').focus()
	await page.keyboard.press('Enter')
	await page.waitForFunction(() => document.querySelector('.machine h3').textContent === 'rack2')
}))

// Every control is a stop of the Tab key, in the order of reading, with a ring around it; nothing holds the focus.
for (const [name, path] of ALL)
	test(`${name}: Tab reaches every control, and one sees where it is`, () => open({}, async page => {
		await page.addInitScript(() => { globalThis.EventSource = class { addEventListener() {} close() {} } })		// what is drawn anew would be another control
		await go(page, path)
		await page.waitForTimeout(300)
		const todo = await page.evaluate(() => {
			const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter(e => e.tabIndex >= 0 && e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length)
			all.forEach((e, i) => { e.dataset.stop = i })
			document.activeElement.blur()
			return all.length
		})
		holds(todo > 0, 'nothing to reach')
		const reached = new Set(), bare = new Set()
		for (let i = 0; i < todo + 3 && reached.size < todo; i++) {
			await page.keyboard.press('Tab')
			const [stop, ring, text] = await page.evaluate(() => { const e = document.activeElement, c = getComputedStyle(e); return [e.dataset.stop, c.outlineStyle !== 'none' && parseFloat(c.outlineWidth) >= 1, e.outerHTML.slice(0, 80)] })
			if (stop !== undefined) reached.add(stop)
			if (stop !== undefined && !ring) bare.add(text)
		}
		equal([...bare], [], 'without a ring:')
		equal(reached.size, todo, 'stops:')
	}))

test('g and a letter go to each page', () => open({}, async page => {
	await go(page, '')
	for (const [key, path] of [['d', 'drives'], ['a', 'alerts'], ['e', 'events'], ['t', 'targets'], ['p', 'pools'], ['c', 'ceiling'], ['w', 'wall'], ['o', 'index']]) {
		await page.keyboard.press('g')
		await page.keyboard.press(key)
		await page.waitForURL(new RegExp(`/${path}\\.html`))
		await page.waitForFunction(() => document.querySelector('main')?.childElementCount > 1)
	}
	await page.keyboard.press('Tab')
	equal(await page.evaluate(() => document.activeElement.className), 'skip', 'the first stop:')
	await page.keyboard.press('Enter')
	await page.waitForFunction(() => document.activeElement.id === 'main')
}))

test('who is not signed in is told so in a page that axe finds nothing in, and sees all with a password', async () => {
	const port = await freePort(), base = `http://127.0.0.1:${port}/`, config = join(tmp, 'login.conf'), users = join(tmp, 'users')
	const line = spawnSync(join(build, 'lanewatch'), ['hash-password', 'anna'], {input: 'open sesame\n'})
	equal(line.status, 0, 'hash-password:')
	writeFileSync(users, line.stdout, {mode: 0o600})
	writeFileSync(config, `listen = "127.0.0.1:${port}"\nusers_file = "${users}"\npoll_interval = 60s\ntarget "rack2" { type = redfish url = "http://127.0.0.1:${world.small.port}" username = "root" password_file = "${world.password}" }\n`, {mode: 0o600})
	const agent = await runAgent(config, 'login.db', async () => (await fetch(`${base}readyz`)).ok)
	try {
		await open({base, loud: true, reducedMotion: 'reduce'}, async (page, wrong) => {
			// the browser asks before it shows a page that came with 401, and has nobody to ask here
			const reply = await fetch(base, {headers: {accept: 'text/html'}}), body = await reply.text()
			equal(reply.status, 401)
			await page.route(base, route => route.fulfill({contentType: 'text/html; charset=utf-8', body}))
			await page.goto(base)
			equal(await page.locator('h1').innerText(), 'Sign in to see this.')
			for (const colorScheme of ['light', 'dark']) {
				await page.emulateMedia({colorScheme})
				await accessible(page, `signing in, ${colorScheme}`)
			}
			await page.screenshot({path: join(pictures, 'signin.png')})
			for (const width of WIDTHS) await fits(page, width)
			equal(wrong, [])
		})
		await open({base, httpCredentials: {username: 'anna', password: 'open sesame'}}, async page => {
			await go(page, '', base)
			await page.locator('.machine .bay').first().waitFor()
		})
	} finally {
		await end(agent)
	}
})

// ---- figures: what `make bench` prints. Here they are held against limits that a busy machine keeps too ----

const BUSY = 30		// a machine that builds and tests at the same time is so much slower
const report = (what, ms, limit) => {
	console.log(`# figure: ${what}: ${ms.toFixed(0)} ms (limit ${limit} ms)`)
	holds(ms < limit * BUSY, `${what}: ${ms.toFixed(0)} ms`)
}
// When what a selector names stood on the screen first, in ms since the page was asked for.
const watchFor = (page, selector) => page.addInitScript(selector => {
	new MutationObserver((_, watch) => {
		if (!document.querySelector(selector)) return
		watch.disconnect()
		requestAnimationFrame(() => setTimeout(() => { globalThis.shownAt = performance.now() }))
	}).observe(document, {childList: true, subtree: true})
}, selector)
const shownAt = page => page.waitForFunction(() => globalThis.shownAt, null, {timeout: 60000}).then(x => x.jsonValue())
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1]

test('figures: the overview of 24 bays is painted', async () => {
	const times = []
	for (let i = 0; i < 5; i++)
		await open({}, async page => {
			await watchFor(page, '.machine .bay')
			await page.goto(world.base)
			times.push(await shownAt(page))
		})
	report('overview, from the request until 24 bays are painted', median(times), 300)
})

// 200 machines of 24 bays from one simulator, read by an agent of their own.
async function startFleet(machines) {
	const sim = start('lanewatch-simbmc', ['--chassis', 'r7725xd', '--license', '--instances', String(machines), '--auth', 'none', '--fault', 'instance 7 bay 7 width 2', '--fault', 'instance 150 bay 3 absent'])
	let text = ''
	while (!text.includes('\n')) text += (await once(sim.stdout, 'data'))[0]
	const urls = text.trim().split(/\s+/).slice(1), port = await freePort(), base = `http://127.0.0.1:${port}/`, config = join(tmp, 'fleet.conf')
	equal(urls.length, machines, 'simulated machines:')
	writeFileSync(config, `listen = "127.0.0.1:${port}"\npoll_interval = 20s\n` + urls.map((url, i) => `target "m${String(i).padStart(3, '0')}" { type = redfish url = "${url}" username = "root" password_file = "${world.password}" }\n`).join(''))
	const agent = await runAgent(config, 'fleet.db', async () => await bayCount(base) >= machines * 24, 900)
	return {base, stop: async () => { await end(agent); await end(sim) }}
}
// The longest that a frame takes while something is done to the page, again and again.
const longest = (page, times, act) => page.evaluate(async ([times, act]) => {
	const run = Function('i', act), frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)))
	let most = 0
	for (let i = 0; i < times; i++) {
		await frame()
		const t = performance.now()
		run(i)
		await frame()
		most = Math.max(most, performance.now() - t)
	}
	return most
}, [times, act])

alone('figures: with 200 machines and 4800 drives the table stays usable', async () => {
	await end(world.agent)
	const fleet = await startFleet(200)
	try {
		await open({base: fleet.base}, async page => {
			await watchFor(page, '.drives tbody tr')
			await page.goto(`${fleet.base}drives.html`)
			report('table of 4800 drives, first rows', await shownAt(page), 500)
			holds(/^\d+ of (4[89]|5)\d\d\d? bays/.test(await page.locator('.count').innerText()), await page.locator('.count').innerText())
			report('table of 4800 drives, longest frame of a scroll', await longest(page, 60, 'scrollBy(0, 500)'), 100)
			holds(await page.locator('.drives tbody tr').count() > 100, 'more rows came as one scrolled')
			await page.reload()
			await page.locator('.drives tbody tr').first().waitFor()
			report('table of 4800 drives, longest frame of a search', await longest(page, 8, `const q = document.querySelector('#q'); q.value = 'm1504lw'.slice(0, i); q.dispatchEvent(new Event('input', {bubbles: true}))`), 100)
			await page.locator('#q').fill('m150')
			await page.waitForFunction(() => document.querySelectorAll('.drives tbody tr').length === 26)
			await page.locator('#q').fill('')
			report('table of 4800 drives, longest frame of a filter', await longest(page, 6, `document.querySelector('.legend button').click()`), 100)
			report('table of 4800 drives, longest frame of sorting', await longest(page, 6, `document.querySelectorAll('.drives thead button')[4 + i % 3].click()`), 100)
		})
		await open({base: fleet.base}, async page => {
			await watchFor(page, '.machine .bay')
			await page.goto(fleet.base)
			report('overview of 200 machines', await shownAt(page), 500)
			report('overview of 200 machines, longest frame of a scroll', await longest(page, 40, 'scrollBy(0, 500)'), 100)
			await page.screenshot({path: join(pictures, 'fleet.png')})
			await go(page, 'wall.html', fleet.base)
			holds(/ · 1?\d+ of \d+/.test(await page.locator('.wall-clock').innerText()), 'the wall pages through what does not fit')
			holds(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight + 1), 'the wall fits its screen')
		})
	} finally {
		await fleet.stop()
		await startAgent()
	}
})

// ---- the description for programs ----

// The schemas stand in files of their own; the validator wants one document.
async function bundle(spec, fetchJson) {
	const files = new Map()
	const walk = async (node, home) => {
		for (const [k, v] of Object.entries(node)) {
			if (k === '$ref' && typeof v === 'string') {
				const [file, path] = v.split('#'), name = file ? file.replace('.schema.json', '') : home
				if (!name || !file && !home) continue
				if (file && !files.has(name)) {
					files.set(name, null)
					const schema = await fetchJson(file)
					delete schema.$schema, delete schema.$id
					files.set(name, schema)
					await walk(schema, name)
				}
				node.$ref = `#/components/schemas/${name}${(path ?? '').replace('/$defs/', '.')}`
			} else if (v && typeof v === 'object') await walk(v, home)
		}
	}
	await walk(spec, null)
	spec.components.schemas = Object.fromEntries([...files].flatMap(([name, {$defs = {}, ...rest}]) => [[name, rest], ...Object.entries($defs).map(([k, v]) => [`${name}.${k}`, v])]))
	return spec
}

test('openapi.json with its schemas is right by a public validator, which finds what is wrong with another', async () => {
	const json = async file => (await fetch(`${world.base}api/v1/${file}`)).json(), spec = await bundle(await json('openapi.json'), json)
	const {valid, errors} = await new Validator().validate(structuredClone(spec))
	holds(valid, JSON.stringify(errors))
	delete spec.paths['/api/v1/bays'].get.responses
	delete spec.info.title
	equal((await new Validator().validate(spec)).valid, false)
})

test('LW-W3 a form, a fetch and an image of another site change nothing', async () => {
	const server = createSite((request, reply) => { reply.setHeader('content-type', 'text/html'); reply.end('<!doctype html><title>another site</title>') })
	await new Promise(done => server.listen(0, '127.0.0.1', done))
	const other = await chromium.launch({executablePath: program, args: [...FLAGS, '--host-resolver-rules=MAP evil.example 127.0.0.1']})
	try {
		const page = await other.newPage(), statuses = []
		page.on('response', r => { if (r.url().startsWith(world.base)) statuses.push(r.status()) })
		const before = await alertOf('link', '15'), at = `${world.base}api/v1/alerts/${before.id}/ack`
		for (const origin of ['evil.example', '127.0.0.1']) { // another site; the same host, another port
			await page.goto(`http://${origin}:${server.address().port}/`)
			await page.evaluate(async at => {
				const body = JSON.stringify({by: 'mallory'})
				await fetch(at, {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body}).catch(() => 0)
				await fetch(at, {method: 'POST', mode: 'cors', headers: {'Content-Type': 'application/json'}, body}).catch(() => 0)
				await fetch(at, {method: 'DELETE', mode: 'cors', headers: {'Content-Type': 'application/json'}}).catch(() => 0)
				await new Promise(done => { const i = new Image(); i.onload = i.onerror = done; i.src = at })
			}, at)
			await page.evaluate(at => {
				const f = document.createElement('form')
				Object.assign(f, {action: at, method: 'post', enctype: 'text/plain'})
				f.append(Object.assign(document.createElement('input'), {name: '{"by":"mallory","note":"', value: '"}'}))
				document.body.append(f)
				f.submit()
			}, at)
			await page.waitForURL(at)
		}
		holds(statuses.filter(x => x === 403).length >= 2 && statuses.every(x => x >= 400), `statuses ${statuses}`)
		equal((await alertOf('link', '15')).acknowledged_by, null)
	} finally {
		await other.close()
		server.close()
	}
})

test('LW-W2 a page of another name that points to us is refused', async () => {
	const other = await chromium.launch({executablePath: program, args: [...FLAGS, '--host-resolver-rules=MAP evil.example 127.0.0.1']})
	try {
		const page = await other.newPage(), reply = await page.goto(`http://evil.example:${world.port}/`)
		equal(reply.status(), 421)
		equal(await page.locator('main').count(), 0)
	} finally {
		await other.close()
	}
})

alone('a drive that is pulled shows without a reload within 3 s after it could be read', () => open({}, async page => {
	await go(page, '')
	await page.evaluate(() => { globalThis.mine = 'the same page' })
	equal(await page.locator('.bay[data-bay="20"]').first().getAttribute('data-verdict'), 'ok')
	await simulate('front', 'r7725xd', [...FRONT, 'bay 20 absent'])
	await page.waitForFunction(() => document.querySelector('.machines .bay[data-bay="20"]').dataset.verdict === 'absent', null, {timeout: 3000})
	equal(await page.evaluate(() => globalThis.mine), 'the same page')
}))

alone('while the agent is away the page says so and keeps its values, and it comes back by itself', () => open({loud: true}, async page => {
	await go(page, '')
	await end(world.agent)
	await page.locator('#gone .notice').waitFor({timeout: 8000})
	holds(/not live, read \d\d:\d\d/.test(await page.locator('#fresh').innerText()), await page.locator('#fresh').innerText())
	holds(await page.locator('.bay').count() >= 34, 'the bays are still there')
	await page.screenshot({path: join(pictures, 'away.png')})
	await startAgent()
	await page.locator('#gone .notice').waitFor({state: 'detached', timeout: 12000})
	await page.waitForFunction(() => document.querySelector('#fresh').textContent === 'live')
}))

alone('every reply that a page got fits openapi.json and its schema', async () => {
	const got = (await Promise.all(replies)).filter(Boolean), file = join(tmp, 'replies')
	holds(got.filter(r => r.path.startsWith('/api/')).length > 20, `only ${got.length} replies`)
	writeFileSync(file, got.map(r => JSON.stringify(r) + '\n').join(''))
	const child = spawn('python3', [join(source, 'tests/system/contract.py'), file], {env: {...process.env, srcdir: source}}), said = []
	child.stdout.on('data', d => said.push(d))
	child.stderr.on('data', d => said.push(d))
	const [status] = await once(child, 'close')
	console.log(`# ${said.join('').trim().split('\n').at(-1)}`)
	equal(status, 0, said.join(''))
})

// ---- run ----

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
let failed = 0
try {
	await begin()
	browser = await chromium.launch({executablePath: program, args: FLAGS})
	const only = process.env.ONLY, chosen = only ? tests.filter(t => new RegExp(only).test(t.title)) : tests
	console.log(`1..${chosen.length}`)
	let done = 0
	async function one(t) {
		try {
			await t.run()
			console.log(`ok ${++done} - ${t.title}`)
		} catch (e) {
			failed++
			console.log(`not ok ${++done} - ${t.title}\n#   ${String(e.message).split('\n').slice(0, 6).join('\n#   ')}`)
		}
	}
	const queue = chosen.filter(t => !t.alone)
	const lane = async () => { while (queue.length) await one(queue.shift()) }
	await Promise.all([lane(), lane()])
	for (const t of chosen.filter(t => t.alone)) await one(t)
} finally {
	await browser?.close()
	for (const child of [...children].reverse()) await end(child)
	rmSync(tmp, {recursive: true, force: true})
}
process.exit(failed ? 1 : 0)
