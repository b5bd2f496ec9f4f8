import { spawnSync } from 'node:child_process';

export interface User {
  uid: number;
  gid: number;
}

/** A user without privileges, where this process is root's: PostgreSQL refuses root, and no permission stops it. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
    if (uid && gid) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}
