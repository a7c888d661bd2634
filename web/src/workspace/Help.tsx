// Help: the keys.
import { Dialog } from '../ui/Dialog';
import { isHelpOpen } from './overlays';

const keys: [string, [string, string][]][] = [
  ['Table', [
    ['arrows, Home, End, PageUp, PageDown', 'move; with Ctrl to the edge'], ['Enter, F2', 'edit the cell'], ['typing', 'replace and edit'],
    ['Shift+arrows, Ctrl+Shift+arrows', 'select a range'], ['Shift+Space, Ctrl+Space, Ctrl+A', 'select the row, the column, all'],
    ['Ctrl+C, Ctrl+V', 'copy and paste as a table'], ['Delete', 'clear'], ['Space', 'open the row; tick a box'], ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'],
  ]],
  ['In a cell', [['Enter, Shift+Enter', 'keep, go down or up'], ['Tab, Shift+Tab', 'keep, go right or left'], ['Escape', 'leave the old value'], ['Alt+Enter', 'a new line']]],
  ['Board', [['arrows', 'go to another card'], ['Ctrl+Left, Ctrl+Right, m', 'move the card'], ['Enter', 'open it']]],
  ['Calendar', [['arrows, PageUp, PageDown', 'go to another day or month'], ['Enter', 'go into the day'], ['Ctrl+arrows', 'move the row to another day']]],
  ['Everywhere', [['Ctrl+K', 'search all rows, and commands'], ['/', 'filter'], ['n', 'new row'], ['g then t, b, c', 'table, board, calendar'], ['Escape', 'close what is open'], ['?', 'these keys']]],
];

export function Help() {
  return (
    <Dialog title="keys" class="help" onClose={() => { isHelpOpen.value = false; }}>
      <h2>Keys</h2>
      <div class="help-columns">
        {keys.map(([where, lines]) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl>{lines.map(([key, what]) => <><dt key={key}><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
