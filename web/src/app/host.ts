// The host of an app: JSON-RPC over postMessage with the window that shows it (MCP Apps, 2026-01-26).
// It brings the arguments and the result of the call that the app is shown for, and carries out calls.
type Message = { jsonrpc: '2.0'; id?: number; method?: string; params?: any; result?: any; error?: { message: string } };

export interface ToolResult {
  structuredContent?: unknown;
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

// A call that the server refused, in its words.
export class Refusal extends Error {
  constructor(readonly code: string, message: string, readonly data: Record<string, any>) { super(message); }
}

const waiting = new Map<number, { resolve(result: any): void; reject(problem: Error): void }>();
const listeners = new Map<string, (params: any) => void>();
let ids = 0;

const post = (message: Message) => window.parent.postMessage(message, '*');

export function ask(method: string, params: object): Promise<any> {
  const id = ++ids;
  post({ jsonrpc: '2.0', id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

export const tell = (method: string, params: object = {}): void => post({ jsonrpc: '2.0', method, params });

export const onNotice = (method: string, take: (params: any) => void): void => void listeners.set(method, take);

window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
  if (source !== window.parent || data?.jsonrpc !== '2.0') return;
  if (data.method === undefined) {
    const call = data.id === undefined ? undefined : waiting.get(data.id);
    if (!call) return;
    waiting.delete(data.id!);
    if (data.error) call.reject(new Error(data.error.message));
    else call.resolve(data.result);
  } else if (data.id === undefined) {
    listeners.get(data.method)?.(data.params ?? {});
  } else {
    // ping, and the teardown before the frame goes: nothing here is unsaved.
    post({ jsonrpc: '2.0', id: data.id, result: {} });
  }
});

// What a tool answered, be it as structure or as text.
export function answerOf<Answer>(result: ToolResult): Answer {
  const text = result.content?.find(part => part.type === 'text')?.text ?? '{}';
  const answer = result.structuredContent ?? JSON.parse(text);
  if (!result.isError && answer.ok !== false) return answer as Answer;
  throw new Refusal(answer.code ?? '', answer.message ?? text, answer.data ?? {});
}

// The host asks its user, or does not, whether the app may call this tool.
export const call = async <Answer>(tool: string, args: object): Promise<Answer> =>
  answerOf<Answer>(await ask('tools/call', { name: tool, arguments: args }));

function applyContext(context: { theme?: string }) {
  if (context.theme === 'light' || context.theme === 'dark') document.documentElement.dataset.theme = context.theme;
}

// Shakes hands; from then on the host tells what it has. Resolves with what it can do.
export async function connect(): Promise<{ serverTools?: object }> {
  onNotice('ui/notifications/host-context-changed', applyContext);
  const answer = await ask('ui/initialize', {
    protocolVersion: '2026-01-26', appInfo: { name: 'notesdb', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  applyContext(answer?.hostContext ?? {});
  tell('ui/notifications/initialized');
  new ResizeObserver(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    tell('ui/notifications/size-changed', { width: scrollWidth, height: Math.min(scrollHeight, 640) });
  }).observe(document.body);
  return answer?.hostCapabilities ?? {};
}
