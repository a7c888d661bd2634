// Popover: what floats beside the thing it belongs to; Escape and a click elsewhere close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  anchor: Element | DOMRect;
  label: string;
  role?: 'dialog' | 'menu';
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

const gap = 4;
const margin = 8;

export function Popover({ anchor, label, role = 'dialog', class: extra = '', onClose, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    const at = anchor instanceof Element ? anchor.getBoundingClientRect() : anchor;
    const { width, height } = element.getBoundingClientRect();
    const below = at.bottom + gap + height + margin <= innerHeight || at.top < height + gap + margin;
    element.style.left = `${Math.max(margin, Math.min(at.left, innerWidth - width - margin))}px`;
    element.style.top = `${below ? Math.min(at.bottom + gap, Math.max(margin, innerHeight - height - margin)) : at.top - gap - height}px`;
  });
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) onClose();
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onClose();
    };
    document.addEventListener('pointerdown', outside, true);
    document.addEventListener('keydown', escape, true);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      document.removeEventListener('keydown', escape, true);
    };
  }, [onClose]);
  return <div ref={box} class={`popover ${extra}`} role={role} aria-label={label}>{children}</div>;
}
