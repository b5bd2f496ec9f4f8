import { kebab } from 'petctl/names';
import { textOf } from '../repository.ts';
import { reject } from './document.ts';

/** The name of an operation without an operationId: `GET /users/{userId}/photo` becomes `getUsersByUserIdPhoto`. */
export function derivedId(method: string, path: string): string {
  const words = path.split('/').flatMap((segment) => segment.replace(/\{([^}]*)\}/g, ' by $1 ').split(/[^A-Za-z0-9]+/));
  return camel([method.toLowerCase(), ...words]);
}

/** The operationId if it is a valid and unreserved name in JavaScript; otherwise a name that is derived from the operationId. */
export function functionName(operationId: string, at: string): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(operationId) ? operationId : camel(operationId.split(/[^A-Za-z0-9]+/));
  if (!/^[A-Za-z_$]/.test(name))
    reject(`${at}.operationId`, `'${operationId}' is not a function name`, 'begin the operationId with a letter');
  return reserved.has(name) ? `${name}Operation` : name;
}

/** The names that the packages of types and client export, apart from those of `export *`. */
export const exportedNames: readonly string[] = ['packages/types/src/index.ts', 'packages/client/src/index.ts'].flatMap(
  (file) => [...textOf(file).matchAll(/\{([^}]*)\}/g)].flatMap(([, names = '']) => names.match(/\w+(?=,|\s*$)/g) ?? []),
);

/** Reserved words, and names that the packages export by hand. */
const reserved = new Set([
  ...exportedNames,
  ...(
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'implements import in instanceof interface let new null package private protected public return static super switch this throw true ' +
    'try typeof var void while with yield await arguments eval constructor then'
  ).split(' '),
]);

function camel(words: readonly string[]): string {
  const [first = '', ...others] = words.filter((word) => word !== '');
  return first.charAt(0).toLowerCase() + first.slice(1) + others.map(capital).join('');
}

/** The word with its first letter in upper case. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The built-in commands of petctl. */
const BUILTIN_COMMANDS = ['auth', 'completion', 'help'];

/** The words of an operation's command. Words that petctl reserves get `api-` before them. */
export function commandOf(operation: Named, at: string): string[] {
  const command = wordsOf(operation, at);
  const [group = '', name = ''] = command;
  const [isBuiltinGroup, isBuiltinName] = [BUILTIN_COMMANDS.includes(group), /^import(-|$)/.test(name)];
  if (operation.command !== undefined && (isBuiltinGroup || isBuiltinName))
    reject(at, `the command '${command.join(' ')}' is built into petctl`, 'choose another command in x-command');
  return [isBuiltinGroup ? `api-${group}` : group, isBuiltinName ? `api-${name}` : name];
}

interface Named {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string | undefined;
  /** The value of `x-command`. */
  readonly command: unknown;
}

/**
 * The words of an operation's command: `x-command`, or the tag and the operationId without the tag's noun. The words depend on
 * this operation only, so another operation cannot rename the command.
 */
function wordsOf({ id, method, path, tag, command }: Named, at: string): string[] {
  if (command !== undefined) {
    const words = typeof command === 'string' ? command.split(' ') : [];
    if (words.length === 2 && words.every((word) => /^[a-z][a-z0-9-]*$/.test(word))) return words;
    reject(`${at}.x-command`, `'${command}' is not a command`, 'write two words in lower case, such as users list');
  }
  const [segment = 'root'] = path.split('/').filter((part) => part !== '' && !part.includes('{'));
  const group = kebab(tag ?? segment) || 'root';
  const nouns = new Set([...group.split('-'), ...singular(group).split('-')]);
  const words = kebab(id).split('-');
  const isGetOfPlural = words[0] === 'get' && words.slice(1).join('-') === group && group !== singular(group);
  // A GET of the plural without an identifier is a list.
  if (isGetOfPlural && method === 'get' && !path.endsWith('}')) return [group, 'list'];
  // The first of several words is usually a verb, so it is dropped only if it is the whole group, not if it is one of the nouns.
  const verb = words.filter((word, i) => (i === 0 && words.length > 1 ? word !== group : !nouns.has(word)));
  return [group, verb.join('-') || method.toLowerCase()];
}

function singular(noun: string): string {
  return noun.replace(/ies$/, 'y').replace(/(?<![sui])s$/, '');
}
