// App: the sidebar, the database that the address names, and the row that is open.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isOffline, messageOf, needsToken, setToken } from '../api/server';
import type { Schema, View } from '../api/types';
import { FilterBar } from '../filter/FilterBar';
import { address } from '../state/address';
import { isNarrow, isSidebarShown, toggleSidebar } from '../state/preferences';
import { kindOf, loadWorkspace, problem, schema, schemaOf, view, workspace } from '../state/workspace';
import { groupColumn, questionOf, shownColumns } from '../table/question';
import { Table } from '../table/Table';
import { Dialog } from '../ui/Dialog';
import { lazy } from '../ui/lazy';
import { Toasts } from '../ui/Toasts';
import { importing, isCreating, isDropping, isHelpOpen, isInferring, isPaletteOpen, newRow } from './overlays';
import { Sidebar } from './Sidebar';
import { Toolbar } from './Toolbar';

const BaseView = lazy(() => import('../base/BaseView').then(part => part.BaseView));
const Board = lazy(() => import('../board/Board').then(part => part.Board));
const Calendar = lazy(() => import('../calendar/Calendar').then(part => part.Calendar));
const RowPanel = lazy(() => import('../row/RowPanel').then(part => part.RowPanel));
const Palette = lazy(() => import('./Palette').then(part => part.Palette));
const Help = lazy(() => import('./Help').then(part => part.Help));
const Check = lazy(() => import('./Check').then(part => part.Check));
const FromFolder = lazy(() => import('./FromFolder').then(part => part.FromFolder));
const Home = lazy(() => import('./Home').then(part => part.Home));
const Import = lazy(() => import('./Import').then(part => part.Import));
const NewDatabase = lazy(() => import('./NewDatabase').then(part => part.NewDatabase));
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
  return <Table key={`${of.database_id} ${shown?.id ?? ''}`} schema={of} columns={columns} group={groupColumn(of, shown, at)} question={question} />;
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
  const kind = kindOf(shown);
  return (
    <>
      <main class="main">
        <Toolbar schema={of} view={shown} />
        {kind !== 'base' && <FilterBar schema={of} view={shown} />}
        {kind === 'base' ? <BaseView key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : kind === 'board' ? <Board key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : kind === 'calendar' ? <Calendar key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : <TableView schema={of} view={shown} />}
      </main>
      {address.value.row !== null && <RowPanel key={address.value.row} schema={of} id={address.value.row} />}
      {newRow.value && <NewRow schema={of} />}
    </>
  );
}

export function App() {
  const { database, show } = address.value;
  useEffect(() => { document.title = schema.value ? `${schema.value.name} · ${workspace.value?.root_name ?? 'notesdb'}` : workspace.value?.root_name ?? 'notesdb'; });
  if (needsToken.value) return <TokenForm />;
  return (
    <div class={`app ${isSidebarShown.value ? '' : 'no-sidebar'}`}>
      <Sidebar />
      {isNarrow.value && isSidebarShown.value && <div class="veil" onClick={toggleSidebar} />}
      {problem.value && !workspace.value ? <main class="main"><div class="nothing wrong" role="alert">{problem.value}</div></main> : show === 'check' ? <main class="main"><Check /></main> : database === null ? <main class="main"><Home /></main> : <DatabaseView />}
      {isOffline.value && <div class="offline" role="alert">The server does not answer. What you typed is kept here; start it again with <code>notesdb serve</code></div>}
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <Help />}
      {importing.value && <Import key={importing.value.name} />}
      {isCreating.value && <NewDatabase />}
      {isInferring.value && (
        <Dialog title="a database from a folder" class="wide" onClose={() => { isInferring.value = false; }}><h2>From a folder of notes</h2><FromFolder /></Dialog>
      )}
      {isDropping.value && <div class="dropping">Drop a CSV, TSV or JSON file to import its records</div>}
      <Toasts />
    </div>
  );
}
