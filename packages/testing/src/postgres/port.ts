import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port for a program that cannot choose one by itself. It is below those that a system hands out, so that no connection
 * and no other server gets it by chance before the program has it.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port.');
}
