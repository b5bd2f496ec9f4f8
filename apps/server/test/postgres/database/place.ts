import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Programs } from './programs.ts';

/** A folder for a database, which belongs to whoever runs it. */
export function newFolder({ owner }: Programs): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  if (owner) for (const path of [folder, join(folder, 'data')]) chownSync(path, owner.uid, owner.gid);
  return folder;
}

/** A port that was free a moment ago: PostgreSQL cannot be told to take any. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}
