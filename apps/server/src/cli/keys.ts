import type { Command } from 'commander';
import { keysVariable } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { dataDirFrom } from '../config.ts';
import { createKey, keysFile, revokeKey } from '../keys/changes.ts';
import { readKeys } from '../keys/file.ts';
import { addSettings, givenTo } from './given.ts';

/** `keys create`, `list` and `revoke`. What a script wants goes to stdout, what a person wants to know to stderr. */
export function addKeysCommands(root: Command, env: NodeJS.ProcessEnv): void {
  const keys = root
    .command('keys')
    .summary('make, list and revoke the keys in the data folder, also while the server runs');
  const add = (name: string, summary: string) =>
    addSettings(keys.command(name).summary(summary).description(summary), [settings.dataDir, settings.deployment]);

  const create = add('create', 'make a key, and print it this once')
    .option('--name <name>', 'what it is called in lists and logs (default: key-1, key-2 and so on)')
    .action(async ({ name: wanted }: { name?: string }) => {
      const folder = folderOf(create);
      const { name, key } = await createKey(folder, wanted);
      console.log(key);
      tell(`Made the key '${name}' in ${keysFile(folder)}. It is shown only this once, and valid within a second.`);
    });

  const list = add('list', 'show the names of the keys, and when they were made').action(() => {
    const file = keysFile(folderOf(list));
    const known = readKeys(file);
    for (const { name, created } of known ?? []) console.log(`${name}\t${created}`);
    if (!known) tell(`There is no ${file} yet. The first start of the server makes a key, as does 'keys create'.`);
    else if (known.length === 0) tell(`${file} holds no key, so nobody can call.`);
  });

  const revoke = add('revoke', 'make a key invalid')
    .argument('<name>', 'what it is called')
    .action(async (name: string) => {
      const folder = folderOf(revoke);
      const left = await revokeKey(folder, name);
      tell(`Revoked the key '${name}' in ${keysFile(folder)}. A running server refuses it within a second.`);
      if (left === 0) tell("It was the last one: nobody can call until 'keys create' makes another.");
    });

  function folderOf(command: Command): string {
    const folder = dataDirFrom(givenTo(command, env));
    if (env[keysVariable] !== undefined) {
      tell(`${keysVariable} is set: a server that is started with it does not look at ${keysFile(folder)}.`);
    }
    return folder;
  }
}

function tell(line: string): void {
  console.error(line);
}
