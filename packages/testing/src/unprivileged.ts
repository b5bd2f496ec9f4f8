import { spawnSync } from 'node:child_process';

export interface User {
  uid: number;
  gid: number;
}

/** An unprivileged user if this process is root's: PostgreSQL does not run as root, and root ignores permissions. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
    if (uid && gid) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}
