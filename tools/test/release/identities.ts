import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Env } from './processes.ts';

/** Stands in for the identity provider of GitHub: refuses everybody, and notes for whom it was asked. */
export async function identities() {
  const asked: (string | null)[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(new URL(url, 'http://127.0.0.1').searchParams.get('audience'));
    response.writeHead(403).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env: Env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'somebody/petstore',
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/?of=this-job`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a-token-of-this-job',
  };
  return { asked, env, close: () => server.close() };
}
