import { connect, listPets } from '@petstore/client';

export const available = (apiKey) => listPets(connect({ apiKey }), { status: 'available' });
