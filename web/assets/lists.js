// SPDX-License-Identifier: MIT
// Alerts, events and targets.

import {h, s, dl, said, known, plural, when, clock, day, age, secondsSince, ago, hostUrl, place, readAgo, groupBy} from './dom.js'
import {mark, state} from './parts.js'
import {where} from './overview.js'
import {actions} from './act.js'

// ---- alerts ----

function alertLine(a) {
	const shape = a.state === 'resolved' ? 'ok' : a.severity
	return h('li', {class: `alert v-${a.severity} ${a.state} ${a.silenced_until ? 'silenced' : ''}`}, h('span', {class: 'sev'}, mark(shape), h('b', {}, a.state === 'resolved' ? 'resolved' : a.severity)),
		h('div', {class: 'body'}, h('p', {class: 'top'}, h('b', {class: 'kind'}, a.kind), known(a.bay) ? place(a) : h('a', {href: hostUrl(a.host ?? a.target)}, a.host ?? a.target)), h('p', {}, said(a)),
			h('p', {class: 'sub'}, 'since ', when(a.since), ` (${age(secondsSince(a.since))})`, a.acknowledged_by && ` · acknowledged by ${a.acknowledged_by}`, a.silenced_until && [' · silenced until ', when(a.silenced_until)], a.resolved_at && [' · resolved ', when(a.resolved_at)],
				a.notified.length > 0 && ` · told to ${[...new Set(a.notified.filter(n => n.ok).map(n => n.channel))].join(', ') || 'nobody yet'}`)), actions(a))
}

export const alerts = {
	title: () => 'Alerts',
	needs: () => ['alerts'],
	draw({alerts: list}) {
		const firing = list.filter(a => a.state === 'firing').sort((a, b) => (b.severity === 'critical') - (a.severity === 'critical')), quiet = firing.filter(a => a.acknowledged_by || a.silenced_until), open = firing.filter(a => !quiet.includes(a))
		const pending = list.filter(a => a.state === 'pending'), resolved = list.filter(a => a.state === 'resolved')
		const part = (name, part_, note, empty = 'None.') => h('section', {}, h('h2', {class: 'rule'}, name, h('small', {}, String(part_.length)), note && h('small', {}, note)), part_.length ? h('ul', {class: 'alerts'}, part_.map(alertLine)) : h('p', {class: 'sub'}, empty))
		const last = resolved.map(a => a.resolved_at).filter(Boolean).sort().at(-1)
		return [h('div', {class: 'lead'}, h('h1', {}, 'Alerts'), h('p', {class: 'sentence'}, h('b', {}, String(open.length)), open.length === 1 ? ' needs somebody' : ' need somebody', quiet.length ? `; ${quiet.length} acknowledged or silenced` : '', pending.length ? `; ${pending.length} pending` : '', '.')),
			part('Firing', open, null, last ? ['None. Last one resolved ', ago(last), '.'] : 'None.'), quiet.length > 0 && part('Acknowledged or silenced', quiet), part('Pending', pending, 'true now, fires if it lasts'), resolved.length > 0 && part('Resolved', resolved)]
	},
}

// ---- events ----

const SEVERITIES = [['', 'all'], ['warning', 'warning and worse'], ['critical', 'critical']]
const wanted = (e, sev) => !sev || e.severity === 'critical' || (sev === 'warning' && e.severity === 'warning')

export const events = {
	title: () => 'Events',
	needs: query => [`events?limit=1000${query.get('host') ? `&host=${encodeURIComponent(query.get('host'))}` : ''}`, 'alerts'],
	draw({events: all, query, change}) {
		const type = query.get('type'), sev = query.get('severity'), host = query.get('host')
		const list = all.filter(e => (!type || e.type === type) && wanted(e, sev))
		const asked = new URLSearchParams(Object.entries({type, host, severity: sev === 'critical' ? sev : null}).filter(x => x[1])), suffix = asked.size ? `?${asked}` : ''
		return [h('div', {class: 'lead'}, h('h1', {}, 'Events'), h('p', {class: 'sub'}, host ? [`Of ${host} only. `, h('a', {href: 'events.html'}, 'Show all machines')] : 'From the drives, their machines and lanewatch itself, newest first.')),
			h('div', {class: 'tools'}, h('span', {class: 'field'}, h('label', {for: 'type'}, 'Kind'), h('select', {id: 'type', onchange: e => change({type: e.target.value || null})}, h('option', {value: ''}, 'all kinds'), [...new Set(all.map(e => e.type))].sort().map(t => h('option', {selected: t === type}, t)))),
				h('span', {class: 'field'}, h('label', {for: 'severity'}, 'Severity'), h('select', {id: 'severity', onchange: e => change({severity: e.target.value || null})}, SEVERITIES.map(([v, t]) => h('option', {value: v, selected: v === (sev ?? '')}, t)))),
				h('p', {class: 'count', role: 'status'}, plural(list.length, 'event')), h('span', {class: 'out'}, h('a', {class: 'button', href: `api/v1/events.csv${suffix}`}, 'CSV'), h('a', {class: 'button', href: `api/v1/events${suffix}`}, 'JSON'))),
			list.length ? h('div', {class: 'days'}, [...groupBy(list, e => day(e.at))].map(([d, part]) => h('section', {}, h('h2', {class: 'rule'}, d), h('ol', {class: 'timeline'}, part.map(e => h('li', {}, when(e.at, clock), state(e.severity), h('b', {class: 'type'}, e.type), h('span', {class: 'where'}, where(e)), h('span', {class: 'msg'}, e.message)))))))
				: h('p', {class: 'sub'}, 'No event fits. ', h('a', {href: 'events.html'}, 'Clear the filters'))]
	},
}

// ---- targets ----

const WAYS = {
	'auth-failed': 'Check the user name and the password file.', 'tls-failed': 'Check the certificate, or pin it in the configuration.', 'timeout': 'Is the machine on, is its network cable in, is the address right?',
	'refused': 'Is the BMC restarting, is the port right?', 'not-redfish': 'Is this the address of a BMC?', 'session-limit': 'Other programs hold all sessions of this BMC; end some of them.', 'host-off': 'The machine is switched off; drives are told of only while it is on.',
	'permission-denied': 'The account may not read this; it needs the right to read, nothing more.', 'not-licensed': 'The BMC gives this only with a licence.',
}

// The last polls of a target, the newest at the right: one that failed is hatched, one that was not whole is lower.
const POLLS = 40
function pollStrip({polls, polls_since}) {
	const n = word => polls.filter(p => p === word).length, told = ['failed', 'partial'].filter(n).map(word => `${n(word)} ${word}`).join(', ')
	const bar = (word, i) => {
		const height = word === 'partial' ? 16 : 28
		return s('rect', {
			class: word, x: 10 * (POLLS - polls.length + i), y: 28 - height, width: 7, height,
			fill: word === 'failed' ? 'url(#hatch-bad)' : null,
		})
	}
	if (!polls.length) return h('p', {class: 'sub'}, 'First reading under way.')
	return [
		s('svg', {class: 'polls', viewBox: `0 0 ${10 * POLLS} 28`, preserveAspectRatio: 'none', role: 'img',
			'aria-label': `Last ${plural(polls.length, 'poll')}: ${told || 'all ok'}`}, polls.map(bar)),
		h('p', {class: 'ends'}, h('span', {}, 'since ', when(polls_since, clock)), h('span', {}, told || 'all ok'), h('span', {}, 'now')),
	]
}

function targetCard(t, bays) {
	const bad = t.verdict === 'unreachable', word = bad ? 'unreachable' : t.verdict === 'unknown' ? 'unknown' : t.partial ? 'partial' : 'ok'
	const advice = WAYS[t.reason], errors = [...new Map(t.errors.map(e => [`${e.resource}|${e.message}`, e])).values()]
	return h('article', {class: `card target ${bad ? 'is-stale' : ''}`}, h('header', {}, h('h2', {}, h('a', {href: hostUrl(t.host ?? t.name)}, t.name)), state(word === 'partial' ? 'warning' : word, word)), pollStrip(t),
		dl([['Kind', t.kind], t.url && ['Address', t.url], ['Machine', t.host ?? 'not known'], ['Product', [t.vendor, t.product].filter(Boolean).join(' ') || 'not reported'], ['Firmware', t.firmware ?? 'not reported'], ['Power', t.power ?? 'not reported'],
			t.url && ['TLS', t.tls === 'verified' ? 'verified' : t.tls === 'pinned' ? 'pinned key' : t.tls !== 'unverified' && t.url.startsWith('https:') ? 'yes' : h('span', {class: 'state v-below-policy'}, mark('below-policy'), t.tls === 'unverified' ? 'certificate not checked' : 'no, clear text')], ['Last poll', known(t.observed_at) ? `${plural(t.requests, 'request')} in ${(t.duration_ms / 1000).toFixed(t.duration_ms < 100 ? 3 : 1)} s` : 'none yet'], ['Read', readAgo(`target ${t.name}`)], ['Bays', String(bays)]]),
		(t.message || advice) && word !== 'ok' && h('p', {class: 'error'}, mark(bad ? 'critical' : 'warning'), h('span', {}, t.message, t.message && advice && !/[.?]$/.test(t.message) ? '. ' : ' ', advice)),
		errors.slice(0, 4).map(e => h('p', {class: 'error'}, mark('warning'), h('span', {}, h('code', {}, e.resource), ` ${e.message ?? e.code}`))), errors.length > 4 && h('p', {class: 'sub'}, `and ${errors.length - 4} more`))
}

export const targets = {
	title: () => 'Targets',
	needs: () => ['targets', 'bays?fields=target,host,bay,role,observed_at', 'alerts'],
	draw({doc: {bays}, targetsDoc: doc, status}) {
		const silent = doc.targets.filter(t => t.verdict === 'unreachable').length, answer = doc.targets.length - silent
		return [h('div', {class: 'lead'}, h('h1', {}, 'Targets'), h('p', {class: 'sub'}, `${plural(doc.targets.length, 'target')}${status ? `, read each ${age(status.poll_interval_seconds)}` : ''}. ${answer} ${answer === 1 ? 'answers' : 'answer'}${silent ? `, ${silent} ${silent === 1 ? 'does' : 'do'} not` : ''}.${status && !status.storing ? ' Nothing is stored just now.' : ''}`)),
			h('div', {class: 'targets'}, doc.targets.map(t => targetCard(t, bays.filter(b => b.target === t.name).length)))]
	},
}
