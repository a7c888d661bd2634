// The one place that talks to the server: tools, and the token where one is asked for.
import { signal } from '@preact/signals';
import type { Issue, Value, WholeRow } from './types';

// A call that was refused: one sentence, and facts beside it.
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly facts: { etag?: string; row?: WholeRow; errors?: { message: string }[]; issues?: Issue[] } = {},
  ) {
    super(message);
  }
}

export const isOffline = signal(false);
export const needsToken = signal(false);

const tokenKey = `notesdb-token:${location.origin}`;
let token = localStorage.getItem(tokenKey) ?? '';

// A link `#t=TOKEN` brings the token; it is kept for this origin and leaves the address at once.
export function takeTokenFromAddress(): void {
  const found = /^#t=(.+)$/.exec(location.hash);
  if (!found?.[1]) return;
  setToken(decodeURIComponent(found[1]));
  history.replaceState(null, '', location.pathname);
}

export function setToken(given: string): void {
  token = given.trim();
  localStorage.setItem(tokenKey, token);
  needsToken.value = false;
}

export function headers(): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text();
  if (response.status === 401) needsToken.value = true;
  try {
    const { message, code, data } = JSON.parse(text);
    return new Refusal(message, code, response.status, data ?? {});
  } catch {
    return new Refusal(text.trim() || `the server answered ${response.status}`, 'http', response.status);
  }
}

export async function call<Answer>(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/call/${tool}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers() },
      body: JSON.stringify(args),
      signal: signal ?? null,
      credentials: 'omit',
    });
  } catch (problem) {
    if (signal?.aborted) throw problem;
    isOffline.value = true;
    throw new Refusal('the server does not answer; start it again with: notesdb serve', 'offline', 0);
  }
  isOffline.value = false;
  if (!response.ok) throw await refusalOf(response);
  return response.json() as Promise<Answer>;
}

export const messageOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message.replace(/^CONFLICT: /, '') : String(problem);

// Whether two values are the same to the engine; missing and null are.
export function isSame(a: Value | undefined, b: Value | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
