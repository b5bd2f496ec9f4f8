import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Env } from '../support/process.ts';

/** A fake of GitHub's identity provider: rejects every request, and records its audience. */
export async function startIdentityProvider() {
  const audiences: (string | null)[] = [];
  const server = createServer(({ url = '' }, response) => {
    audiences.push(new URL(url, 'http://127.0.0.1').searchParams.get('audience'));
    response.writeHead(403).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** What every job has. */
  const jobs: Env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'somebody/petstore',
  };
  /** What only a job with the permission `id-token: write` has. */
  const identity: Env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/?of=this-job`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a-token-of-this-job',
  };
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { audiences, jobs, identity, close };
}
