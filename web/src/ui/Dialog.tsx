// Dialog: one question at a time in the middle of the window; the browser keeps the focus in it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, class: extra = '', onClose, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current!.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog ${extra}`}
      aria-label={title}
      onClose={onClose}
      onKeyDown={event => event.stopPropagation()}
      onPointerDown={event => { if (event.target === box.current) box.current?.close(); }}
    >
      {children}
    </dialog>
  );
}
