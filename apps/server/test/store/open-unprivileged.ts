import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unprivilegedUser } from '@petstore/testing';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { things } from './store-fixture.ts';

/**
 * A process that opens a store as an unprivileged user: `node open-unprivileged.ts <folder>`. It prints the name and the message of
 * the error. If root starts it, it gives the folder to another user, and becomes that user once all code is loaded.
 */
const [folder = ''] = process.argv.slice(2);
const user = unprivilegedUser();
if (user) {
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(join(folder, name), user.uid, user.gid);
  process.setgroups?.([]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
}
await openLowdbStore(folder, [things]).then(
  (store) => store.close(),
  (error: Error) => console.log(`${error.name}: ${error.message}`),
);
