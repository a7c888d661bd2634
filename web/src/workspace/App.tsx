// App: the sidebar, the database that the address names, and the row that is open.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isOffline, messageOf, needsToken, setToken } from '../api/server';
import type { Schema, View } from '../api/types';
import { Board } from '../board/Board';
import { Calendar } from '../calendar/Calendar';
import { FilterBar } from '../filter/FilterBar';
import { RowPanel } from '../row/RowPanel';
import { address } from '../state/address';
import { preferences } from '../state/preferences';
import { loadWorkspace, problem, schema, schemaOf, view, workspace } from '../state/workspace';
import { questionOf, shownColumns } from '../table/question';
import { Table } from '../table/Table';
import { Toasts } from '../ui/Toasts';
import { Help } from './Help';
import { Home } from './Home';
import { NewRow } from './NewRow';
import { Palette } from './Palette';
import { Sidebar } from './Sidebar';
import { Toolbar } from './Toolbar';

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

function useSchema(): string {
  const { database } = address.value;
  const [refusal, setRefusal] = useState('');
  useEffect(() => {
    setRefusal('');
    if (database === null) return;
    void schemaOf(database)
      // The titles of what relations name stand beside their ids.
      .then(of => Promise.all(of.columns.filter(column => column.target).map(column => schemaOf(column.target!).catch(() => null))))
      .catch(problem => setRefusal(messageOf(problem)));
  }, [database]);
  return refusal;
}

function DatabaseView() {
  const refusal = useSchema();
  const of = schema.value;
  if (refusal) return <main class="main"><div class="nothing wrong" role="alert">{refusal}</div></main>;
  if (!of) return <main class="main" aria-busy="true" />;
  const shown = view.value;
  const kind = shown?.type ?? 'table';
  return (
    <>
      <main class="main">
        <Toolbar schema={of} view={shown} />
        <FilterBar schema={of} refusal="" />
        {kind === 'board' ? <Board key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : kind === 'calendar' ? <Calendar key={`${of.database_id} ${shown!.id}`} schema={of} view={shown!} /> : <TableView schema={of} view={shown} />}
      </main>
      {address.value.row !== null && <RowPanel key={address.value.row} schema={of} id={address.value.row} />}
      <NewRow schema={of} />
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
      <Palette />
      <Help />
      <Toasts />
    </div>
  );
}
