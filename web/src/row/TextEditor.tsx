// TextEditor: the text of a row, to be typed in. It can be read before the editor has been fetched.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TextHandlers, TextView } from './codemirror';

interface Props extends TextHandlers {
  text: string;    // to begin with; what comes later is given
  isReadOnly: boolean;
  giver: { current: ((text: string) => void) | null };
}

export function TextEditor({ text, isReadOnly, giver, ...handlers }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<TextView | null>(null);
  const latest = useRef({ text, handlers });
  const [isReady, setReady] = useState(false);
  latest.current = { text, handlers };
  useEffect(() => {
    let isWanted = true;
    void import('./codemirror').then(({ TextView }) => {
      if (!isWanted) return;
      view.current = new TextView(place.current!, latest.current.text, isReadOnly, {
        onType: typed => latest.current.handlers.onType(typed),
        onSave: () => latest.current.handlers.onSave(),
        onLeave: () => latest.current.handlers.onLeave(),
      });
      giver.current = given => view.current?.give(given);
      setReady(true);
    });
    return () => { isWanted = false; giver.current = null; view.current?.close(); view.current = null; };
  }, []);
  return (
    <>
      {!isReady && <div class="body-text">{text}</div>}
      <div ref={place} class="body-editor" />
    </>
  );
}
