// App: the sidebar, the database that the address names, and the row that is open.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isOffline, messageOf, needsToken, setToken } from '../api/server';
import type { Schema, View } from '../api/types';
import { FilterBar } from '../filter/FilterBar';
import { address } from '../state/address';
import { preferences } from '../state/preferences';
import { loadWorkspace, problem, schema, schemaOf, view, workspace } from '../state/workspace';
import { questionOf, shownColumns } from '../table/question';
import { Table } from '../table/Table';
import { lazy } from '../ui/lazy';
import { Toasts } from '../ui/Toasts';
import { Home } from './Home';
import { isHelpOpen, isPaletteOpen, newRow } from './overlays';
import { Sidebar } from './Sidebar';
import { Toolbar } from './Toolbar';

const Board = lazy(() => import('../board/Board').then(part => part.Board));
const Calendar = lazy(() => import('../calendar/Calendar').then(part => part.Calendar));
const RowPanel = lazy(() => import('../row/RowPanel').then(part => part.RowPanel));
const Palette = lazy(() => import('./Palette').then(part => part.Palette));
const Help = lazy(() => import('./Help').then(part => part.Help));
const NewRow = lazy(() => import('./NewRow').then(part => part.NewRow));

function TokenForm() {
  const [text, setText] = useState('');
  return (
    <main class="gate">
      <form class="form" onSubmit={event => { event.preventDefault(); setToken(text); void loadWorkspace().then(() => location.reload()); }}>
        <h1>notesdb</h1>
        <p>This server asks for its token: the line in the file that <code>notesdb serve --token-file FILE</code> names. A link that ends with <code>#t=TOKEN</code> brings it too.</p>
        <label>Token<input type="password" autofocus value={text} onInput={event => setText(event.currentTarget.value)} /></label>
        <div class="buttons"><button class="primary">Enter</button></div>
      </form>
    </main>
  );
}

function TableView({ schema: of, view: shown }: { schema: Schema; view: View | null }) {
  const at = address.value;
  const parts = [of, shown, at.where.join('\n'), at.sort.join(), at.columns?.join()] as const;
  const columns = useMemo(() => shownColumns(of, shown, at), parts);
  const question = questionOf(of, shown, at);
  return <Table key={`${of.database_id} ${shown?.id ?? ''}`} schema={of} view={shown} columns={columns} question={question} />;
}

// The schema of the database, once those it leads to are known too: rows are then asked for once,
// with the titles of what they name.
function useSchema(): { refusal: string; isReady: boolean } {
  const { database } = address.value;
  const [refusal, setRefusal] = useState('');
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    setRefusal('');
    if (database === null) return;
    void schemaOf(database)
      .then(of => Promise.all(of.columns.filter(column => column.target).map(column => schemaOf(column.target!).catch(() => null))))
      .then(() => setReady(database), problem => setRefusal(messageOf(problem)));
  }, [database]);
  return { refusal, isReady: ready === database };
}

function DatabaseView() {
  const { refusal, isReady } = useSchema();
  const of = schema.value;
  if (refusal) return <main class="main"><div class="nothing wrong" role="alert">{refusal}</div></main>;
  if (!of || !isReady) return <main class="main" aria-busy="true" />;
  const shown = view.value;
  const kind = shown?.type ?? 'table';
  return (
    <>
      <main class="main">
        <Toolbar schema={of} view={shown} />
        <FilterBar schema={of} />
        {kind === 'board' ? <Board key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : kind === 'calendar' ? <Calendar key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : <TableView schema={of} view={shown} />}
      </main>
      {address.value.row !== null && <RowPanel key={address.value.row} schema={of} id={address.value.row} />}
      {newRow.value && <NewRow schema={of} />}
    </>
  );
}

export function App() {
  const { database } = address.value;
  useEffect(() => { document.title = schema.value ? `${schema.value.name} · ${workspace.value?.root_name ?? 'notesdb'}` : workspace.value?.root_name ?? 'notesdb'; });
  if (needsToken.value) return <TokenForm />;
  return (
    <div class={`app ${preferences.value.sidebar ? '' : 'no-sidebar'}`}>
      <Sidebar />
      {problem.value && !workspace.value ? <main class="main"><div class="nothing wrong" role="alert">{problem.value}</div></main> : database === null ? <main class="main"><Home /></main> : <DatabaseView />}
      {isOffline.value && <div class="offline" role="alert">The server does not answer. What you typed is kept here; start it again with <code>notesdb serve</code></div>}
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <Help />}
      <Toasts />
    </div>
  );
}
