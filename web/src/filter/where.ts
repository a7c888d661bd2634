// Where: conditions as they are typed on the command line, `status in open,done and due < today`, as
// the filters of a tool. Only the shape is read here; names, operators and values are the engine's.
import type { Filter, Triple, Value } from '../api/types';

const signs: Record<string, string> = {
  '=': 'eq', '==': 'eq', '!=': 'neq', '<>': 'neq', '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte', '~': 'matches',
};
const withoutValue = new Set(['is_empty', 'is_not_empty']);
const withList = new Set(['in', 'not_in']);

export class Unreadable extends Error {}

interface Token {
  text: string;
  quoted: boolean;
}

// Quoted pieces, signs, and words.
function tokensOf(text: string): Token[] {
  const pattern = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([=!<>~]+)|([^\s=!<>~"']+)/g;
  return [...text.matchAll(pattern)].map(found => ({
    text: (found[1] ?? found[2] ?? found[3] ?? found[4] ?? '').replace(/\\(.)/g, '$1'),
    quoted: found[1] !== undefined || found[2] !== undefined,
  }));
}

const isWord = (token: Token | undefined, word: string): boolean =>
  token !== undefined && !token.quoted && token.text.toLowerCase() === word;

function splitAt(tokens: Token[], word: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isWord(token, word)) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}

// "is not empty" and "not in" are one operator of several words.
const spelled: [string[], string][] = [
  [['is', 'not', 'empty'], 'is_not_empty'], [['is', 'not', 'null'], 'is_not_empty'],
  [['is', 'empty'], 'is_empty'], [['is', 'null'], 'is_empty'],
  [['not', 'in'], 'not_in'], [['not', 'contains'], 'not_contains'],
  [['starts', 'with'], 'starts_with'], [['ends', 'with'], 'ends_with'],
];

function operatorOf(tokens: Token[]): { operator: string; length: number } {
  for (const [words, operator] of spelled)
    if (words.every((word, i) => isWord(tokens[i], word))) return { operator, length: words.length };
  const given = tokens[0]?.text ?? '';
  return { operator: signs[given] ?? given, length: 1 };
}

function valueOf(tokens: Token[], operator: string): Value {
  const only = tokens[0];
  if (withList.has(operator)) {
    const text = tokens.map(token => (token.quoted ? JSON.stringify(token.text) : token.text)).join(' ');
    const inner = text.replace(/^[[(]|[\])]$/g, '');
    return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/g)].map(found => (found[1] ?? found[2] ?? '').trim()).filter(item => item !== '');
  }
  if (tokens.length === 1 && only?.quoted) return only.text;
  return tokens.map(token => token.text).join(' ');
}

function tripleOf(tokens: Token[]): Triple {
  const [field, ...rest] = tokens;
  if (!field) throw new Unreadable('missing condition; for example: status = open');
  if (!rest.length) throw new Unreadable(`missing operator after '${field.text}'; for example: ${field.text} = value, or ${field.text} is_empty`);
  const { operator, length } = operatorOf(rest);
  const behind = rest.slice(length);
  if (withoutValue.has(operator) && !behind.length) return { field: field.text, operator };
  if (!behind.length) throw new Unreadable(`missing value after '${field.text} ${rest[0]?.text}'`);
  return { field: field.text, operator, value: valueOf(behind, operator) };
}

export function filtersOf(text: string): Filter[] {
  return splitAt(tokensOf(text), 'and').map(part => {
    const choices = splitAt(part, 'or').map(tripleOf);
    return choices.length === 1 ? choices[0]! : { any: choices };
  });
}

// A value as it may stand behind a sign.
export function quoted(value: string): string {
  return /^[^\s"',()[\]]+$/.test(value) && !/^(and|or)$/i.test(value) ? value : JSON.stringify(value);
}
