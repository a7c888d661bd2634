// Changes as they happen, whoever makes them: one stream for all tabs of a browser.
//
// The tab that holds the lock reads the stream and hands events on; when it goes, or is hidden for a
// while, another one takes over. Where there are no locks (plain HTTP from another machine) each tab
// reads its own.
import type { ChangeEvent } from './types';
import { headers, isOffline } from './server';

export type LiveEvent =
  | { kind: 'change'; change: ChangeEvent }
  | { kind: 'databases' }
  | { kind: 'lost' };  // something may have been missed: read again what is seen

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();
const channel = new BroadcastChannel('notesdb-events');
const retryMs = 1500;
const hiddenMs = 30_000;
const settleMs = 80;

export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Calls once after changes of a database, however many come at a time. What it gives back ends it.
export function onRowsChanged(database: string, read: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onLive(event => {
    if (event.kind === 'databases' || (event.kind === 'change' && event.change.database_id !== database)) return;
    clearTimeout(timer);
    timer = setTimeout(read, settleMs);
  });
  return () => { clearTimeout(timer); stop(); };
}

function tell(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}

function hear(name: string, data: string): void {
  const event: LiveEvent | null =
    name === 'change' ? { kind: 'change', change: JSON.parse(data) as ChangeEvent }
    : name === 'databases' ? { kind: 'databases' }
    : name === 'lost' || name === 'ready' ? { kind: 'lost' }
    : null;
  if (!event) return;
  tell(event);
  channel.postMessage(event);
}

// Reads one stream to its end.
async function readStream(stop: AbortSignal): Promise<void> {
  const response = await fetch('/events', { headers: headers(), signal: stop, credentials: 'omit', cache: 'no-store' });
  if (!response.ok || !response.body) throw new Error(`events: ${response.status}`);
  isOffline.value = false;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const part = (key: string) => lines.find(line => line.startsWith(`${key}: `))?.slice(key.length + 2) ?? '';
      hear(part('event'), part('data'));
    }
  }
}

const pause = (ms: number, stop: AbortSignal) => new Promise<void>(done => {
  const timer = setTimeout(done, ms);
  stop.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

async function lead(stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await readStream(stop);
    } catch (problem) {
      if (!stop.aborted && problem instanceof TypeError) isOffline.value = true;
    }
    await pause(retryMs, stop);
  }
}

let stopping: AbortController | null = null;

function listen(): void {
  if (stopping) return;
  stopping = new AbortController();
  const { signal } = stopping;
  if (!navigator.locks) {
    void lead(signal);
    return;
  }
  navigator.locks.request('notesdb-events', { signal }, () => lead(signal)).catch(() => undefined);
}

export function followChanges(): void {
  channel.onmessage = ({ data }) => tell(data as LiveEvent);
  let hiding: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(() => { stopping?.abort(); stopping = null; }, hiddenMs);
    } else if (!stopping) {
      listen();
      tell({ kind: 'lost' });
    }
  });
  listen();
}
