// Two texts that began as one, laid together where their changes do not meet.
interface Span {
  begin: number;  // in the base, of what was replaced
  end: number;
  text: string;   // what stands there now
}

// The one piece in which two texts differ.
export function changeOf(base: string, now: string): Span {
  const most = Math.min(base.length, now.length);
  let head = 0;
  while (head < most && base[head] === now[head]) ++head;
  let tail = 0;
  while (tail < most - head && base.at(-1 - tail) === now.at(-1 - tail)) ++tail;
  return { begin: head, end: base.length - tail, text: now.slice(head, now.length - tail) };
}

// Null where both changed the same line.
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  if (mine === theirs || base === theirs) return mine;
  const ours = changeOf(base, mine);
  const others = changeOf(base, theirs);
  const between = ours.end <= others.begin ? base.slice(ours.end, others.begin) : others.end <= ours.begin ? base.slice(others.end, ours.begin) : null;
  if (between === null || !between.includes('\n')) return null;
  const [first, second] = ours.begin < others.begin ? [ours, others] : [others, ours];
  return base.slice(0, first.begin) + first.text + base.slice(first.end, second.begin) + second.text + base.slice(second.end);
}
