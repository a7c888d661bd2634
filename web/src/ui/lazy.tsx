// Parts of the page that are fetched when they are first shown, so that the first look costs less.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, draw] = useState(0);
    useEffect(() => {
      if (!loaded) void load().then(component => { loaded = component; draw(1); });
    }, []);
    const Component = loaded;
    return Component ? <Component {...props} /> : null;
  };
}
