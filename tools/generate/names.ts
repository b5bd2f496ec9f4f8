import { kebab } from 'petctl/names';
import { stop } from './stops.ts';

/** The name of an operation that has none: `GET /users/{userId}/photo` becomes `getUsersByUserIdPhoto`. */
export function derivedId(method: string, path: string): string {
  const words = path.split('/').flatMap((segment) => segment.replace(/\{([^}]*)\}/g, ' by $1 ').split(/[^A-Za-z0-9]+/));
  return camel([method.toLowerCase(), ...words]);
}

/** The operationId where it is free to be a name in JavaScript, else one made of it. */
export function functionName(operationId: string, place: string): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(operationId) ? operationId : camel(operationId.split(/[^A-Za-z0-9]+/));
  if (!/^[A-Za-z_$]/.test(name))
    stop(
      `${place}.operationId`,
      `no function can be called '${operationId}'`,
      'write a name that begins with a letter',
    );
  return taken.has(name) ? `${name}Operation` : name;
}

/** Words that name no function, and what the client package offers by hand. */
const taken = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'implements import in instanceof interface let new null package private protected public return static super switch this throw true ' +
    'try typeof var void while with yield await arguments eval constructor then ' +
    'connect petstore request nextPage mayRetry'
  ).split(' '),
);

function camel(words: readonly string[]): string {
  const [first = '', ...others] = words.filter((word) => word !== '');
  return (
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}

/** The commands of petctl that no operation makes. */
const OWN_COMMANDS = ['api', 'auth', 'completion', 'config', 'docs', 'help', 'version'];

/** The words of an operation's command. Words that petctl has for itself get `api-` before them. */
export function commandOf(operation: Named, place: string): string[] {
  const command = wordsOf(operation, place);
  const [group = '', name = ''] = command;
  const [isOwnGroup, isOwnName] = [OWN_COMMANDS.includes(group), /^import(-|$)/.test(name)];
  if (operation.said !== undefined && (isOwnGroup || isOwnName))
    stop(place, `its command '${command.join(' ')}' is one of petctl's own`, 'choose another in x-command');
  return [isOwnGroup ? `api-${group}` : group, isOwnName ? `api-${name}` : name];
}

interface Named {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string | undefined;
  /** What `x-command` says. */
  readonly said: unknown;
}

/**
 * The words of an operation's command, by the operation alone, so that no other can rename it: its tag, and its name
 * without the noun that the tag says already. `x-command` says others.
 */
function wordsOf({ id, method, path, tag, said }: Named, place: string): string[] {
  if (said !== undefined) {
    const words = typeof said === 'string' ? said.split(' ') : [];
    if (words.length === 2 && words.every((word) => /^[a-z][a-z0-9-]*$/.test(word))) return words;
    stop(`${place}.x-command`, `'${said}' is no command`, 'write two words in lower case, as in users list');
  }
  const [segment = 'root'] = path.split('/').filter((one) => one !== '' && !one.includes('{'));
  const group = kebab(tag ?? segment) || 'root';
  const nouns = new Set([group, singular(group), ...singular(group).split('-'), ...group.split('-')]);
  const words = kebab(id).split('-');
  const isList = words[0] === 'get' && words.slice(1).join('-') === group && group !== singular(group);
  // A plural that is fetched by nothing else is a list.
  if (isList && method === 'get' && !path.endsWith('}')) return [group, 'list'];
  const verb = words.filter((word, i) => (i === 0 && words.length > 1 ? word !== group : !nouns.has(word)));
  return [group, verb.join('-') || method.toLowerCase()];
}

function singular(noun: string): string {
  return noun
    .replace(/ies$/, 'y')
    .replace(/(ss|us|is)$/, '$1\0')
    .replace(/s$/, '')
    .replace('\0', '');
}
