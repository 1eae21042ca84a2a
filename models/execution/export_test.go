package execution

// ClaimPokesStatement is the statement that claims pokes.
var ClaimPokesStatement = claimPokes
