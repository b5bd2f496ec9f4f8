import type { Declaration, Store } from './store.ts';
export async function openPostgresStore(_url: string, _declarations: readonly Declaration[]): Promise<Store> {
  throw new Error('not yet');
}
