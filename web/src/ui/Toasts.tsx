// Toasts: short words at the foot of the window, with one thing to do about them.
import { signal } from '@preact/signals';

interface Toast {
  key: number;
  text: string;
  tone: 'plain' | 'wrong';
  action?: { label: string; run: () => void } | undefined;
}

const toasts = signal<Toast[]>([]);
let next = 0;
const shownMs = 6000;

const dismiss = (key: number): void => { toasts.value = toasts.value.filter(one => one.key !== key); };

export function say(text: string, action?: Toast['action'], tone: Toast['tone'] = 'plain'): void {
  const toast = { key: ++next, text, tone, action };
  toasts.value = [...toasts.value.slice(-2), toast];
  setTimeout(() => dismiss(toast.key), shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ key, text, tone, action }) => (
        <div key={key} class={`toast ${tone}`}>
          <span>{text}</span>
          {action && <button class="link" onClick={() => { dismiss(key); action.run(); }}>{action.label}</button>}
        </div>
      ))}
    </div>
  );
}
