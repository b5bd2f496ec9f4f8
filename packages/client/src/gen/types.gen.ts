// Generated from spec/openapi.yaml (9de8289d4c6fcb48) by `npm run generate`. Do not edit.

export type { ApiError, CategoryId, ErrorCode, NewPet, Pet, PetId, PetName, PetStatus } from '@petstore/types';
