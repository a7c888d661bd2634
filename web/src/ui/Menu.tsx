// Menu: a button and what can be chosen from it, by pointer and by arrows.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Popover } from './Popover';

export interface Choice {
  label: string;
  run: () => void;
  hint?: string;
  chosen?: boolean;
  danger?: boolean;
  separated?: boolean;
  stays?: boolean;   // the menu, since more than one is chosen
}

function Choices({ choices, onDone }: { choices: Choice[]; onDone: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>('button')?.focus(), []);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.current!.querySelectorAll<HTMLElement>('button')];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  return (
    <div ref={list} class="choices" onKeyDown={move}>
      {choices.map(({ label, run, hint, chosen, danger, separated, stays }) => (
        <button
          key={label}
          role={chosen === undefined ? 'menuitem' : stays ? 'menuitemcheckbox' : 'menuitemradio'}
          aria-checked={chosen}
          class={`choice ${danger ? 'danger' : ''} ${separated ? 'separated' : ''}`}
          onClick={() => { if (!stays) onDone(); run(); }}
        >
          {chosen !== undefined && <span class="tick" aria-hidden="true">{chosen ? '✓' : ''}</span>}
          <span class="grow">{label}</span>
          {hint && <kbd>{hint}</kbd>}
        </button>
      ))}
    </div>
  );
}

interface Props {
  label: string;
  class?: string;
  choices: Choice[] | (() => Choice[]);
  children: ComponentChildren;
}

export function Menu({ label, class: extra = 'quiet', choices, children }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => { setOpen(false); button.current?.focus(); };
  return (
    <>
      <button ref={button} class={extra} aria-haspopup="menu" aria-expanded={isOpen} aria-label={label} title={label} onClick={() => setOpen(!isOpen)}>
        {children}
      </button>
      {isOpen && (
        <Popover anchor={button.current!} label={label} role="menu" onClose={close}>
          <Choices choices={typeof choices === 'function' ? choices() : choices} onDone={close} />
        </Popover>
      )}
    </>
  );
}
