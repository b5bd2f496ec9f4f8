import { onTestFinished } from 'vitest';
import { prepareSession, Session } from '../../src/store/postgres/session.ts';

/** Opens a session outside of any pool. It ends with the test. */
export async function openSession(address: string): Promise<Session> {
  const session = new Session({ connectionString: address, connectionTimeoutMillis: 5_000 });
  await session.connect();
  onTestFinished(() => void session.end());
  await prepareSession(session, 5_000);
  return session;
}
