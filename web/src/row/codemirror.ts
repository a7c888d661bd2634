// The text of a row in CodeMirror: Markdown with marks for what it means, as plain as it is written.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';
import { changeOf } from './merge';

export interface TextHandlers {
  onType: (text: string) => void;
  onSave: () => void;
  onLeave: () => void;
}

const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown');

const marks = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '13px' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.quote, color: 'var(--text-2)' },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: 'var(--faint)' },
]);

export class TextView {
  private readonly view: EditorView;
  private isGiven = false;   // what changes now was given, not typed

  constructor(parent: HTMLElement, text: string, isReadOnly: boolean, handlers: TextHandlers) {
    const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
    this.view = new EditorView({
      parent,
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'text of the row', spellcheck: 'true', autocapitalize: 'sentences' }),
        EditorState.readOnly.of(isReadOnly),
        EditorState.lineSeparator.of('\n'),
        placeholder('Write here, in Markdown'),
        history(),
        markdown,
        syntaxHighlighting(marks),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => { handlers.onSave(); return true; } },
          { key: 'Escape', stopPropagation: true, run: view => { view.contentDOM.blur(); return true; } },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.domEventHandlers({ blur: () => { handlers.onLeave(); } }),
        EditorView.updateListener.of(update => { if (update.docChanged && !this.isGiven) handlers.onType(update.state.doc.toString()); }),
      ],
    });
  }

  // The text as it is now elsewhere; the caret stays at the words where it was.
  give(text: string): void {
    const now = this.view.state.doc.toString();
    if (now === text) return;
    const { begin, end, text: insert } = changeOf(now, text);
    this.isGiven = true;
    this.view.dispatch({ changes: { from: begin, to: end, insert } });
    this.isGiven = false;
  }

  close(): void {
    this.view.destroy();
  }
}
