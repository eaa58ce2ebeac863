// SPDX-License-Identifier: MIT
// What a person does with an alert: take care of it, silence it for a while, take either back.

import {h, known, say, said} from './dom.js'

const TIMES = [['1 h', '+1h'], ['4 h', '+4h'], ['8 h', '+8h'], ['1 d', '+1d'], ['7 d', '+7d'], ['30 d', '+30d']]
const VERBS = {ack: 'Acknowledge', silence: 'Silence'}

// Who did it last is the one who does it next; where people sign in, the agent knows better and takes that name.
const me = {
	get: () => { try { return localStorage.getItem('lanewatch-who') ?? '' } catch { return '' } },
	set: name => { try { localStorage.setItem('lanewatch-who', name) } catch { /* then it is asked for again */ } },
}

// Throws with a sentence that says why not.
async function send(a, verb, method, body) {
	const reply = await fetch(`api/v1/alerts/${a.id}/${verb}`, {method, headers: {'Content-Type': 'application/json'}, body: body && JSON.stringify(body)}).catch(() => null)
	if (!reply) throw new Error('the agent does not answer')
	if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).detail ?? `status ${reply.status}`)
	dispatchEvent(new Event('lanewatch-changed'))
}

const buttonOf = (a, verb) => document.querySelector(`[data-act="${verb} ${a.id}"]`)

function field(id, name, control) {
	control.id = id
	return h('p', {class: 'ask'}, h('label', {for: id}, name), control)
}

function ask(a, verb) {
	const who = h('input', {type: 'text', maxlength: 60, autocomplete: 'username', value: me.get()}), note = h('input', {type: 'text', maxlength: 250})
	const until = verb === 'silence' && h('select', {}, TIMES.map(([text, value]) => h('option', {value}, text)))
	const wrong = h('p', {class: 'wrong', role: 'alert'}), done = h('button', {type: 'submit', class: 'button main'}, VERBS[verb])
	const box = h('dialog', {'aria-labelledby': 'ask-title'}, h('form', {}, h('h2', {id: 'ask-title'}, VERBS[verb]), h('p', {}, h('b', {}, known(a.bay) ? `${a.host} bay ${a.bay}` : a.host ?? a.target), ': ', said(a)),
		until && field('ask-until', 'For', until), field('ask-who', 'Your name', who), field('ask-note', 'Note', note), wrong, h('p', {class: 'buttons'}, done, h('button', {type: 'button', class: 'button', onclick: () => box.close()}, 'Cancel'))))
	box.addEventListener('close', () => { box.remove(); buttonOf(a, verb)?.focus() })
	box.addEventListener('submit', async e => {
		e.preventDefault()
		const name = who.value.trim()
		done.disabled = true
		try {
			await send(a, verb, 'POST', {...name && {by: name}, ...note.value.trim() && {note: note.value.trim()}, ...until && {until: until.value}})
			me.set(name)
			box.close()
			say(verb === 'ack' ? 'Acknowledged' : 'Silenced')
		} catch (x) {
			wrong.textContent = `Not done: ${x.message}.`
			;(name ? done : who).focus()
		}
		done.disabled = false
	})
	document.body.append(box)
	box.showModal()
	;(until || (who.value ? note : who)).focus()
}

async function takeBack(a, verb) {
	try {
		await send(a, verb, 'DELETE')
		say(verb === 'ack' ? 'Not acknowledged any more' : 'Told again')
	} catch (x) {
		say(`Not done: ${x.message}`)
	}
}

// The buttons of an alert that stands.
export function actions(a) {
	if (a.state === 'resolved' || !known(a.id)) return null
	const name = `${a.kind} ${known(a.bay) ? `${a.host} bay ${a.bay}` : a.host ?? a.target}`
	const one = (verb, on, undo) => h('button', {type: 'button', class: 'button', id: `act-${verb}-${a.id}`, 'data-act': `${verb} ${a.id}`, 'aria-label': `${on ? undo : VERBS[verb]}: ${name}`, onclick: () => on ? takeBack(a, verb) : ask(a, verb)}, on ? undo : VERBS[verb])
	return h('p', {class: 'actions'}, one('ack', a.acknowledged_by, 'Take back'), one('silence', a.silenced_until, 'Tell again'))
}
