// Keys that hold wherever one is, unless one is typing.
import { address, go } from '../state/address';
import { redo, undo } from '../state/edits';
import { kindOf, schema } from '../state/workspace';
import { isHelpOpen, isPaletteOpen, openNewRow } from './overlays';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);

// A table first clears its selection, and what floats closes by itself.
const isOwnEscape = (target: EventTarget | null): boolean =>
  document.querySelector('.popover') !== null || (target instanceof Element && target.closest('.grid, .panel') !== null);

const kinds: Record<string, 'table' | 'board' | 'calendar'> = { t: 'table', b: 'board', c: 'calendar' };
const togetherMs = 1000;

function showKind(kind: 'table' | 'board' | 'calendar'): void {
  const found = schema.value?.views.find(one => kindOf(one) === kind && kind !== 'table');
  if (kind === 'table') go({ view: null, columns: null });
  else if (found) go({ view: found.id, columns: null });
}

export function followKeys(): void {
  let wentAt = 0;
  document.addEventListener('keydown', event => {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
      return;
    }
    if (event.defaultPrevented || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (command && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      void (event.shiftKey ? redo() : undo());
      return;
    }
    if (command || event.altKey) return;
    const kind = kinds[event.key];
    if (kind && Date.now() - wentAt < togetherMs) {
      wentAt = 0;
      event.preventDefault();
      event.stopPropagation();
      showKind(kind);
      return;
    }
    switch (event.key) {
      case '/': event.preventDefault(); document.getElementById('filter')?.focus(); break;
      case '?': event.preventDefault(); isHelpOpen.value = true; break;
      case 'g': event.preventDefault(); event.stopPropagation(); wentAt = Date.now(); break;
      case 'n': if (address.value.database !== null) { event.preventDefault(); openNewRow(); } break;
      case 'Escape': if (address.value.row !== null && !isOwnEscape(event.target)) go({ row: null }); break;
    }
  }, true);
}
