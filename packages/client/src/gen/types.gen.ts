// Generated from spec/openapi.yaml (021bd426c150c7c6) by `npm run generate`. Do not edit.

export type {
  ApiError,
  CategoryId,
  ErrorCode,
  NewPet,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '@petstore/types';
