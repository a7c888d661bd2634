// Preview: Markdown as it reads. What makes it is fetched when somebody looks.
import { useEffect, useRef } from 'preact/hooks';

export function Preview({ text, database, id }: { text: string; database: string; id: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isWanted = true;
    void import('./markdown').then(({ fragmentOf }) => {
      if (isWanted) place.current?.replaceChildren(fragmentOf(text, `${database}/${id}`));
    });
    return () => { isWanted = false; };
  }, [text, database, id]);
  return <div ref={place} class="preview" />;
}
