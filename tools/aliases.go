package tools

import (
	"encoding/json"
	"fmt"
)

// Aliases returns a Prepare function that renames top-level parameters:
// names maps other spellings to the parameter's own. Two spellings of one
// parameter in one call are INVALID_ARGS (contract §4). Arguments that are no
// object, or use no alias, stay as they are.
func Aliases(names map[string]string) func(args json.RawMessage) (json.RawMessage, error) {
	return func(args json.RawMessage) (json.RawMessage, error) {
		list, ok := members(args)
		if !ok {
			return args, nil
		}
		renamed := false
		given := make(map[string]string, len(list)) // own name → spelling used
		for i, m := range list {
			name, alias := names[m.name]
			if !alias {
				name = m.name
			}
			if other, twice := given[name]; twice {
				return nil, argsError(fmt.Sprintf("invalid arguments: %q and %q are two spellings of one parameter, %q",
					other, m.name, name), nil)
			}
			given[name] = m.name
			list[i].name = name
			renamed = renamed || alias
		}
		if !renamed {
			return args, nil
		}
		return object(list), nil
	}
}
