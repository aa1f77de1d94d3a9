# Reads one line an event: "+ID" a group runs, "=ID" its first process is gone,
# "-ID" it is over. At the end of the input what is left of the groups is ended.
running='' left=''

# without puts the words of $1 but $2 into kept; it starts no process.
without() {
  kept=''
  for word in $1; do
    [ "$word" = "$2" ] || kept="$kept $word"
  done
}

while read -r line; do
  id=${line#?}
  without "$running" "$id"; running=$kept
  without "$left" "$id"; left=$kept
  case $line in
  +*) running="$running $id" ;;
  =*) left="$left $id" ;;
  esac
done

# The number of a group whose first process is gone may be another process's.
for id in $left; do
  kill -s 0 "$id" 2>/dev/null || running="$running $id"
done
[ -n "$running" ] || exit 0
for id in $running; do kill -s TERM -- "-$id" 2>/dev/null; done
sleep 1
for id in $running; do kill -s KILL -- "-$id" 2>/dev/null; done
