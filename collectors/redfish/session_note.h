/* SPDX-License-Identifier: MIT */
/*
 * session_note: small files that remember which session of which BMC this process holds, so
 * that the next start can delete what a kill left.  A note holds the session's path, never
 * its token.  Named session-<hash of address and user>-<pid>.
 */
#ifndef REDFISH_SESSION_NOTE_H
#define REDFISH_SESSION_NOTE_H

/* All do nothing without a state folder, and keep quiet about what they cannot write. */
void session_note_write(const char *dir, const char *base, const char *user, const char *location);
void session_note_remove(const char *dir, const char *base, const char *user);

/*
 * Calls fn for the location in each note whose process is gone.  The note (its file's path) is
 * fn's to unlink when the session is deleted; an empty one is removed here.
 */
void session_note_each_left(const char *dir, const char *base, const char *user,
	void (*fn)(void *arg, const char *note, const char *location), void *arg);

#endif
